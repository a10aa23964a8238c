import { describe, expect, it } from "vitest";
import { createContract } from "../../src/server/document.ts";
import type { Exchange } from "../../src/server/exchange.ts";
import { createRunObserver } from "../../src/server/run-observer.ts";
import { readDocumentSync } from "../../src/server/spec.ts";

const contract = createContract(readDocumentSync());
const params = [{ queryRunId: "a" }];

/** Exchange of one call. By default it is sent after all observed ones. */
function exchange(method: string, reply: object, sentAt = performance.now()): Exchange {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply }));
  const sent = [{ idText: "1", method, params, isNotification: false }];
  return { sent, sentAt, answer: { status: 200, headers: {}, body }, contradictions: [] };
}

const polled = (state: string, members: object = {}, sentAt?: number) =>
  exchange("getQueryRun", { result: { queryRun: { id: "a", state: `QUERY_STATE_${state}`, ...members } } }, sentAt);

describe("a run in the answers of a server", () => {
  it("does not change after its end", () => {
    const observer = createRunObserver(contract);
    expect(observer.observe(polled("RUNNING"))).toEqual([]);
    expect(observer.observe(polled("SUCCESS"))).toEqual([]);
    const back = ['the run "a" changed after its end: state was "QUERY_STATE_SUCCESS" and is "QUERY_STATE_RUNNING"'];
    expect(observer.observe(polled("RUNNING"))).toEqual(back);
    expect(observer.observe(polled("RUNNING"))).toEqual(back);
    const refused = { error: { code: -32151, message: "no", data: { state: "QUERY_STATE_RUNNING" } } };
    expect(observer.observe(exchange("getQueryRunResults", refused))).toEqual(back);
    expect(observer.observe(polled("SUCCESS", { updatedAt: "2026-11-22T10:00:00.000Z" }))).toEqual([]);
  });

  it("has its state first among its changes, wherever the answer has it", () => {
    const reported = (run: object) => exchange("getQueryRun", { result: { queryRun: { id: "a", ...run } } });
    const names = (members: readonly (readonly [string, unknown, unknown])[]) => {
      const observer = createRunObserver(contract);
      observer.observe(reported(Object.fromEntries(members.map(([name, before]) => [name, before]))));
      const found = observer.observe(reported(Object.fromEntries(members.map(([name, , now]) => [name, now]))));
      return found.map((text) => /: (\w+) was/.exec(text)?.[1]);
    };
    const state = ["state", "QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED"] as const;
    const sql = ["sql", "a", "b"] as const;
    const rowCount = ["rowCount", 1, null] as const;
    expect(names([sql, rowCount, state])).toEqual(["state", "sql", "rowCount"]);
    expect(names([sql, state, rowCount])).toEqual(["state", "sql", "rowCount"]);
    expect(names([state, rowCount, sql])).toEqual(["state", "rowCount", "sql"]);
  });

  it("keeps a state that a refusal gives, only if the run ended before the request", () => {
    const observer = createRunObserver(contract);
    const refused = (state: string, sentAt?: number) =>
      exchange("getQueryRunResults", { error: { code: -32151, message: "no", data: { state } } }, sentAt);
    expect(observer.observe(refused("QUERY_STATE_RUNNING"))).toEqual([]);
    observer.observe(polled("RUNNING"));
    expect(observer.observe(refused("QUERY_STATE_READY"))).toEqual([]);
    const sentAt = performance.now() - 1;
    observer.observe(polled("SUCCESS"));
    expect(observer.observe(refused("QUERY_STATE_RUNNING", sentAt))).toEqual([]);
    expect(observer.observe(refused("QUERY_STATE_SUCCESS"))).toEqual([]);
    expect(observer.observe(exchange("getQueryRunResults", { error: { code: -32151, message: "no" } }))).toEqual([]);
  });

  it("may start at its creation, and may have times before it in members of other names", () => {
    const createdAt = "2026-11-22T10:00:00.000Z";
    const observer = createRunObserver(contract);
    expect(observer.observe(polled("READY", { createdAt, startedAt: createdAt, endedAt: 0 }))).toEqual([]);
    expect(observer.observe(polled("READY", { createdAt, sql: "2026-11-22T09:00:00.000Z" }))).toEqual([]);
  });

  it("has times in the order in which it reaches them", () => {
    const observer = createRunObserver(contract);
    const [createdAt, early, late] = [
      "2026-11-22T10:00:00.000Z",
      "2026-11-22T10:00:01.000Z",
      "2026-11-22T10:00:02.000Z",
    ];
    expect(observer.observe(polled("SUCCESS", { id: "b", createdAt, startedAt: early, endedAt: early }))).toEqual([]);
    expect(observer.observe(polled("SUCCESS", { id: "c", createdAt, startedAt: late, endedAt: early }))).toEqual([
      `the run "c" has endedAt ${early} before startedAt ${late}`,
    ]);
    const canceled = { id: "d", createdAt, startedAt: null, endedAt: early };
    expect(observer.observe(polled("CANCELED", canceled))).toEqual([]);
  });

  it("may start again before its end, but not before its creation", () => {
    const observer = createRunObserver(contract);
    const startedAt = "2026-11-22T10:00:01.000Z";
    observer.observe(polled("RUNNING", { startedAt }));
    expect(observer.observe(polled("READY", { startedAt: null }))).toEqual([]);
    expect(observer.observe(polled("READY", { startedAt, createdAt: "2026-11-22T11:00:00.000Z" }))).toEqual([
      `the run "a" has times before its creation at 2026-11-22T11:00:00.000Z: startedAt is ${startedAt}`,
    ]);
  });

  it("is not compared if two requests overlap", () => {
    const observer = createRunObserver(contract);
    const sentAt = performance.now() - 1;
    observer.observe(polled("SUCCESS"));
    expect(observer.observe(polled("RUNNING", {}, sentAt))).toEqual([]);
    expect(observer.observe(polled("SUCCESS"))).toEqual([]);
  });
});
