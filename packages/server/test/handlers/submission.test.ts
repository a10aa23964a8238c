import { createHash } from "node:crypto";
import type { Submission, SubmissionOutcome } from "@quern/adapter";
import { accepted as acceptedOf, submission } from "@quern/adapter/contract";
import type { CreateQueryRunParams } from "@quern/protocol/types";
import { expect, it, vi } from "vitest";
import type { Context, Service } from "../../src/handlers/context.ts";
import { createQueryRun } from "../../src/handlers/create-query-run.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { createTestClock, idleKind } from "../fixture.ts";

const clock = createTestClock();
const kind = { ...idleKind, revision: async () => "7" };
const sources = createSourceCatalog(
  () => [
    { name: "main", provider: "quern" },
    { name: "own", provider: "quern", runAs: "user" },
  ],
  new Map([["duckdb", kind]]),
);

interface Change {
  readonly outcome?: SubmissionOutcome;
  readonly headers?: Record<string, string>;
  readonly spent?: object;
  readonly hasSpace?: boolean;
  readonly userId?: string;
}

/** Calls the method on a store that remembers the submission, and accepts it unless another answer is given. */
async function created(params: Partial<CreateQueryRunParams> = {}, change: Change = {}) {
  const submitted: Submission[] = [];
  const submit = async (given: Submission) => {
    submitted.push(given);
    return change.outcome ?? run;
  };
  const [requested, submitting] = [vi.fn(), vi.fn()];
  const service = {
    store: { runs: { submit, queuePosition: async () => 1, executing: async () => 0 } },
    clock,
    sources,
    progress: { of: () => undefined },
    changes: { waitForEnd: async <T>(run: T) => run },
    limits: { statementTimeoutSeconds: 60, maxQueuedRuns: 9, maxParameterBytes: 99 },
    limitsOf: async () => ({ maxUnfinishedRuns: 3, maxRunningRuns: 2, maxStoredBytes: 5 }),
    telemetry: { usage: { spent: async () => change.spent }, requested },
    scheduler: { submitting, waitReasons: () => ({}) },
    disk: { hasSpace: async () => change.hasSpace ?? true, waitReason: undefined },
  } as unknown as Service;
  const principal = {
    tenantId: "acme",
    userId: change.userId ?? "ann",
    apiKeyId: "key_1",
    scopes: new Set(),
    sources: null,
  };
  const context = { principal, headers: new Headers(change.headers) } as unknown as Context;
  const answer = await createQueryRun({ sql: "select 1", ...params }, context, service);
  const [first] = submitted;
  if (first === undefined) throw new Error("nothing was submitted");
  return { answer, submitted: first, requested, submitting };
}

const run = acceptedOf(await openSqliteStore(":memory:").runs.submit(submission()));

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

it("submits a run with new ids, the hashes of its statement and the limits of its tenant", async () => {
  const { submitted, requested, submitting, answer } = await created();
  expect(submitted).toEqual({
    run: {
      id: expect.stringMatching(/^run_[0-9a-f]{24}$/),
      tenantId: "acme",
      userId: "ann",
      dataSourceId: "main",
      sqlStatementId: submitted.statement.id,
      reuseKey: expect.stringMatching(/^[0-9a-f]{64}$/),
      parameters: null,
      tags: {},
      statementTimeoutSeconds: 60,
      resultTTLHours: 1,
      traceparent: undefined,
    },
    request: { id: expect.stringMatching(/^req_[0-9a-f]{24}$/), maxAgeMinutes: 0, resultTTLHours: 1 },
    statement: {
      id: expect.stringMatching(/^st_[0-9a-f]{24}$/),
      sql: "select 1",
      statementHash: sha256("select 1"),
    },
    caps: { maxUnfinishedRuns: 3, maxRunningRuns: 2, maxQueuedRuns: 9, maxStoredBytes: 5, isDiskFull: false },
    idempotency: null,
  });
  expect(requested.mock.calls[0]?.slice(1)).toEqual([run.run, run.statement.statementHash, "ran"]);
  expect(answer).toMatchObject({
    queryRequest: { id: run.request.id },
    queryRun: { id: run.run.id, queuePosition: 1 },
    sqlStatement: { id: run.statement.id, sql: run.statement.sql },
  });
  expect(submitting).toHaveBeenCalledOnce();
});

it("submits what the caller asks for, within the bounds", async () => {
  const params = { maxAgeMinutes: 20_000, resultTTLHours: 1_000, parameters: { a: 1 }, tags: { b: "c" } };
  const { submitted } = await created({ ...params, idempotencyKey: "once" }, { hasSpace: false, outcome: run });
  expect(submitted).toMatchObject({
    run: { parameters: { a: 1 }, tags: { b: "c" }, resultTTLHours: 720 },
    request: { maxAgeMinutes: 10_080, resultTTLHours: 720 },
    caps: { isDiskFull: true },
    idempotency: { apiKeyId: "key_1", key: "once", bodyHash: expect.stringMatching(/^[0-9a-f]{64}$/) },
  });
});

it("shares results between users, except on a source that runs statements as the user", async () => {
  const keyOf = async (dataSource: string, userId: string) =>
    (await created({ dataSource }, { userId })).submitted.run.reuseKey;
  expect(await keyOf("main", "ann")).toBe(await keyOf("main", "bob"));
  expect(await keyOf("own", "ann")).not.toBe(await keyOf("own", "bob"));
});

const trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

it.each([
  [trace, trace],
  [` ${trace} `, trace],
  [`${trace}0`, undefined],
  [`x${trace}`, undefined],
  [trace.toUpperCase(), undefined],
  ["", undefined],
])("takes the header traceparent %j as %j", async (traceparent, expected) => {
  const { submitted } = await created({}, { headers: { traceparent } });
  expect(submitted.run.traceparent).toBe(expected);
});

it.each([
  ["ran", {}],
  ["reused", { repeated: true }],
  ["reused", { request: { ...run.request, triggeredQueryRun: false } }],
  ["reused", { run: { ...run.run, state: "QUERY_STATE_SUCCESS" } }],
])("counts a call as %s for %j", async (counted, change) => {
  const outcome = { ...run, ...change } as SubmissionOutcome;
  const { requested } = await created({}, { outcome });
  expect(requested.mock.calls[0]?.[3]).toBe(counted);
});

const spent = { budget: 1, used: 2, resetsAt: "2026-12-01T00:00:00.000Z" };

it.each<[SubmissionOutcome, object | undefined, object]>([
  [
    { outcome: "tooManyRuns", count: 3, cap: 2 },
    undefined,
    { code: -32_171, data: { currentlyRunning: 3, maxConcurrentRuns: 2 } },
  ],
  [{ outcome: "tooManyRuns", count: 3, cap: 0 }, spent, { data: spent }],
  [{ outcome: "storageFull" }, undefined, { code: -32_177, data: { retryAfterMs: 10_000 } }],
  [
    { outcome: "storageQuotaExceeded", storedBytes: 7, maxStoredBytes: 5 },
    undefined,
    { data: { storedBytes: 7, maxStoredBytes: 5 } },
  ],
  [
    { outcome: "idempotencyMismatch" },
    undefined,
    {
      data: {
        reason: "IdempotencyMismatch",
        issues: [
          {
            pointer: "/params/0/idempotencyKey",
            received: "other params",
            expected: "a new key, or the params of the earlier call with this key",
          },
        ],
      },
    },
  ],
])("refuses a call for the outcome %j", async (outcome, budget, error) => {
  await expect(created({}, { outcome, ...(budget && { spent: budget }) })).rejects.toMatchObject(error);
});

it("creates no run beyond the budget of the user, and refuses an empty statement", async () => {
  const outcome = { ...run, repeated: true } as SubmissionOutcome;
  const { submitted } = await created({}, { outcome, spent });
  expect(submitted.caps).toMatchObject({
    maxUnfinishedRuns: 0,
    maxRunningRuns: undefined,
    maxStoredBytes: undefined,
  });
  await expect(created({ sql: " " })).rejects.toMatchObject({ data: { issues: [{ pointer: "/params/0/sql" }] } });
});
