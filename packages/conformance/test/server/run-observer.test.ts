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
