import { submission } from "@quern/adapter/contract";
import { createRun } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import { createTelemetry } from "../../src/telemetry/telemetry.ts";
import { createTestClock } from "../fixture.ts";

const principal = { tenantId: "acme", userId: "ann", apiKeyId: "key_1" };
const headers = Object.assign(new Headers({ "x-request-id": "request_1" }), { address: "192.0.2.1" });
const actor = { principal, headers };
const callerOfLine = { tenantId: "acme", userId: "ann", keyId: "key_1", address: "192.0.2.1", requestId: "request_1" };

function recorded() {
  const clock = createTestClock();
  const [record, error, info] = [vi.fn(), vi.fn(), vi.fn()];
  const metrics = {
    requested: vi.fn(),
    pageRead: vi.fn(),
    runClaimed: vi.fn(),
    workerLost: vi.fn(),
    runEnded: vi.fn(),
  };
  const usage = { ran: vi.fn(), claimed: vi.fn(), read: vi.fn() };
  const parts = { usage, metrics, audit: { record, close() {} } } as unknown as Parameters<typeof createTelemetry>[0];
  const telemetry = createTelemetry(parts, clock, { error, info });
  const lines = () => record.mock.calls.map(([line]) => line as unknown);
  return { clock, record, error, info, metrics, usage, telemetry, lines };
}

const run = createRun({ ...submission().run, id: "run_a", tenantId: "acme", userId: "ann" }, 0);

it("records a call of createQueryRun, and the bytes that a caller reads", () => {
  const { telemetry, lines, metrics, usage, record, clock } = recorded();
  telemetry.requested(actor, run, "hash", "reused");
  telemetry.read(actor, "run_a", 7, "csv");
  expect(lines()).toEqual([
    {
      ...callerOfLine,
      action: "run.create",
      runId: "run_a",
      statementHash: "hash",
      source: "source",
      outcome: "reused",
    },
    { ...callerOfLine, action: "result.read", runId: "run_a", format: "csv", bytes: 7 },
  ]);
  expect(record.mock.calls[0]?.[1]).toBe(clock.now());
  expect([metrics.requested.mock.calls, metrics.pageRead.mock.calls]).toEqual([[["reused"]], [[7]]]);
  expect(usage.read.mock.calls).toEqual([[principal, 7]]);
});

it("records a refused credential of an unknown caller, up to a number a minute", () => {
  const { telemetry, lines, clock } = recorded();
  const unknown = { principal: undefined, headers: new Headers() };
  for (let count = 0; count < 602; count += 1) telemetry.refused(unknown, { httpStatus: 401 });
  expect(lines()).toHaveLength(600);
  const line = { tenantId: null, userId: null, keyId: null, address: "unknown", requestId: undefined };
  expect(lines()[0]).toEqual({ ...line, action: "access.refused", httpStatus: 401 });
  clock.advance(60_000);
  telemetry.refused(unknown, { httpStatus: 401 });
  expect(lines().at(-1)).toEqual({ ...line, action: "access.refused", httpStatus: 401, suppressed: 2 });
});

it("logs an event that a full disk keeps out of the audit log, and passes other errors on", () => {
  const { telemetry, record, error } = recorded();
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  record.mockImplementationOnce(() => {
    throw full;
  });
  telemetry.audited(actor, "result.link", { runId: "run_a" });
  expect(error.mock.calls).toEqual([["result.link could not be written to the audit log", full, callerOfLine]]);
  record.mockImplementationOnce(() => {
    throw new Error("broken");
  });
  expect(() => telemetry.audited(actor, "result.link", {})).toThrow("broken");
});

it("logs the end of a run with its numbers, and the name of a failure without its message", () => {
  const { telemetry, info, metrics, usage } = recorded();
  const failure = { name: "BinderError", message: "a row", data: { category: "USER" as const } };
  const result = { columns: [], rowCount: 7, totalBytes: 1 };
  const ended = { ...run, startedAt: 1_000, endedAt: 3_500, attempt: 2, result, failure, traceparent: "00-trace" };
  telemetry.ended(ended);
  telemetry.ended({ ...run, endedAt: 9 });
  telemetry.ended({ ...run, startedAt: 9 });
  expect(info.mock.calls[0]).toEqual([
    "run ended",
    {
      runId: "run_a",
      state: run.state,
      tenantId: "acme",
      userId: "ann",
      source: "source",
      attempt: 2,
      durationMs: 2_500,
      rowCount: 7,
      errorName: "BinderError",
      traceparent: "00-trace",
    },
  ]);
  const rest = { durationMs: null, rowCount: undefined, errorName: undefined, traceparent: undefined };
  expect([info.mock.calls[1]?.[1], info.mock.calls[2]?.[1]]).toMatchObject([rest, rest]);
  expect([metrics.runEnded.mock.calls[0], usage.ran.mock.calls[0]]).toEqual([[ended], [ended]]);
});

it("counts claims and losses, and logs a source whose tables are left out", () => {
  const { telemetry, metrics, error } = recorded();
  telemetry.claimed(run);
  telemetry.lost(run, "server");
  const cause = new Error("broken");
  telemetry.leftOut(actor, "lake", cause);
  expect([metrics.runClaimed.mock.calls, metrics.workerLost.mock.calls]).toEqual([[[run]], [["server"]]]);
  const message = "listTables omits the tables of lake: the source cannot be read";
  expect(error.mock.calls).toEqual([[message, cause, { requestId: "request_1" }]]);
});
