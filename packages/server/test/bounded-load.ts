import { randomBytes, randomInt } from "node:crypto";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { apiKey, createTestClient, RpcError } from "./fixture.ts";

/** Counts the refused calls of a load, by error code or HTTP status. */
export type Refusals = Map<string, number>;

const addRefusal = (refusals: Refusals, reason: string): void =>
  void refusals.set(reason, (refusals.get(reason) ?? 0) + 1);
const headers = { "content-type": "application/json", "x-api-key": apiKey };

/** Client with `count` unfinished runs at a time, which reads results and cancels some runs. Calls `onRun` after each of its runs. */
export async function keepRuns(
  url: string,
  count: number,
  refusals: Refusals,
  signal: AbortSignal,
  onRun: () => void,
): Promise<void> {
  const { create, get, results, call } = createTestClient(url);
  async function one(number: number): Promise<void> {
    const sql =
      number % 9 === 0 ? "select nope" : `select range as n, ${number % 40} as m from range(${1 + (number % 500)})`;
    let { queryRun } = await create({ sql, maxAgeMinutes: number % 3 === 0 ? 1 : 0, waitSeconds: 5 });
    if (number % 7 === 0) await call("cancelQueryRun", { queryRunId: queryRun.id });
    while (!signal.aborted && queryRun.endedAt === null) queryRun = await get(queryRun.id, 5);
    if (queryRun.state === "QUERY_STATE_SUCCESS") await results({ queryRunId: queryRun.id });
  }
  async function again(): Promise<void> {
    while (!signal.aborted) {
      try {
        await one(randomInt(1_000));
        onRun();
      } catch (error) {
        addRefusal(refusals, error instanceof RpcError ? String(error.code) : String(error));
      }
    }
  }
  await Promise.all(Array.from({ length: count }, again));
}

/** Reads pages of 100,000 rows one after the other, and ignores them. */
export async function readPages(
  url: string,
  queryRunId: string,
  refusals: Refusals,
  signal: AbortSignal,
): Promise<number> {
  let pages = 0;
  while (!signal.aborted) {
    const params = [{ queryRunId, format: "csv", page: { number: 1 + (pages % 5), size: 100_000 } }];
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "getQueryRunResults", params });
    const response = await fetch(`${url}/json-rpc`, { method: "POST", headers, body });
    const { byteLength } = await response.arrayBuffer();
    if (response.status !== 200 || byteLength < 1_000_000)
      addRefusal(refusals, `page of ${byteLength} bytes, ${response.status}`);
    pages += 1;
  }
  return pages;
}

const call = (method: string, params: unknown, more: object = {}) =>
  JSON.stringify({ jsonrpc: "2.0", id: 1, method, params, ...more });

/** Bodies and headers of a malicious client. */
const garbage: readonly (() => RequestInit)[] = [
  () => ({ body: randomBytes(randomInt(1, 5_000)) }),
  () => ({ body: "[".repeat(100_000) }),
  () => ({ body: `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}` }),
  () => ({ body: "x".repeat(3_000_000) }),
  () => ({ body: JSON.stringify(Array.from({ length: 500 }, () => 1)) }),
  () => ({ body: call("nope", []) }),
  () => ({ body: call("createQueryRun", [{ sql: randomBytes(200).toString("latin1") }]) }),
  () => ({ body: call("createQueryRun", [{ sql: 7, tags: [] }]) }),
  () => ({ body: call("getQueryRun", { queryRunId: "__proto__" }, { id: { a: 1 } }) }),
  () => ({ body: call("getQueryRun", [{ queryRunId: randomBytes(9).toString("hex"), waitSeconds: 50 }]) }),
  () => ({ body: call("listQueryRuns", [{ cursor: randomBytes(9).toString("base64") }]) }),
  () => ({ body: call("getQueryRun", []), headers: { "content-type": "text/plain", "x-api-key": apiKey } }),
  () => ({ body: call("getQueryRun", []), headers: { "content-type": "application/json", "x-api-key": "no" } }),
  () => ({ method: "DELETE" }),
];

/** Sends nothing else, and begins requests that it never ends. */
export async function sendGarbage(url: string, refusals: Refusals, signal: AbortSignal): Promise<void> {
  for (let number = 0; !signal.aborted; number += 1) {
    const { port, hostname } = new URL(url);
    const torn = connect(Number(port), hostname);
    torn.on("error", () => {});
    torn.write(`POST /json-rpc HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: 999\r\n\r\n{`, () => torn.destroy());
    try {
      const made = garbage[number % garbage.length]?.();
      const response = await fetch(`${url}/json-rpc`, { method: "POST", headers, ...made });
      const text = await response.text();
      if (response.status >= 500) addRefusal(refusals, `HTTP ${response.status}`);
      for (const { error } of [JSON.parse(text || "[]")].flat()) if (error) addRefusal(refusals, String(error.code));
    } catch (error) {
      // A body that is too large may be refused before it is all sent.
      if (!(error instanceof TypeError)) addRefusal(refusals, String(error));
    }
    await sleep(5);
  }
}
