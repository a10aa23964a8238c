import { describe, expect, it } from "vitest";
import { createContract } from "../../src/server/document.ts";
import type { Exchange } from "../../src/server/exchange.ts";
import { createRunObserver } from "../../src/server/run-observer.ts";
import { readDocumentSync } from "../../src/server/spec.ts";

const contract = createContract(readDocumentSync());
const params = [{ queryRunId: "a" }];

/** An exchange of one call; by default it is sent after all that were observed before. */
function exchange(method: string, reply: object, sentAt = performance.now()): Exchange {
  const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", id: 1, ...reply }));
  const sent = [{ idText: "1", method, params, isNotification: false }];
  return { sent, sentAt, answer: { status: 200, headers: {}, body }, contradictions: [] };
}

const looked = (state: string, members: object = {}, sentAt?: number) =>
  exchange("getQueryRun", { result: { queryRun: { id: "a", state: `QUERY_STATE_${state}`, ...members } } }, sentAt);

describe("runs in the answers of a server", () => {
  it("stay as they ended, by each later answer", () => {
    const observer = createRunObserver(contract);
    expect(observer.observe(looked("RUNNING"))).toEqual([]);
    expect(observer.observe(looked("SUCCESS"))).toEqual([]);
    const back = ['the run "a" has ended, and its state was "QUERY_STATE_SUCCESS" and is "QUERY_STATE_RUNNING"'];
    expect(observer.observe(looked("RUNNING"))).toEqual(back);
    expect(observer.observe(looked("RUNNING"))).toEqual(back);
    const refused = { error: { code: -32151, message: "no", data: { state: "QUERY_STATE_RUNNING" } } };
    expect(observer.observe(exchange("getQueryRunResults", refused))).toEqual(back);
    expect(observer.observe(looked("SUCCESS", { updatedAt: "2026-11-22T10:00:00.000Z" }))).toEqual([]);
  });

  it("may begin again before they end, and after their creation", () => {
    const observer = createRunObserver(contract);
    const startedAt = "2026-11-22T10:00:01.000Z";
    observer.observe(looked("RUNNING", { startedAt }));
    expect(observer.observe(looked("READY", { startedAt: null }))).toEqual([]);
    expect(observer.observe(looked("READY", { startedAt, createdAt: "2026-11-22T11:00:00.000Z" }))).toEqual([
      `the run "a" was created at 2026-11-22T11:00:00.000Z, and its startedAt is ${startedAt}`,
    ]);
  });

  it("are not compared where two answers overlap", () => {
    const observer = createRunObserver(contract);
    const sentAt = performance.now() - 1;
    observer.observe(looked("SUCCESS"));
    expect(observer.observe(looked("RUNNING", {}, sentAt))).toEqual([]);
    expect(observer.observe(looked("SUCCESS"))).toEqual([]);
  });
});
