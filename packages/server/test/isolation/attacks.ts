import { request } from "node:http";
import { setTimeout as sleep } from "node:timers/promises";
import { connectRaw, headOf } from "../listener/raw-client.ts";

/** Service under attack, and a key of the tenant that attacks it. */
export interface Target {
  readonly url: string;
  readonly apiKey: string;
}

/** Counts of an attack, such as requests sent, by name. */
export type Report = Readonly<Record<string, number>>;

/** Attacks until the signal is aborted. @returns a function that returns the counts so far */
export type Attack = (target: Target, signal: AbortSignal) => () => Report;

const bracketBytes = 4_000_000;

/** Two connections without a key send 4 MB of brackets again and again. */
const brackets: Attack = ({ url }, signal) => {
  const body = Buffer.alloc(bracketBytes, "[");
  let refused = 0;
  const post = () =>
    new Promise<void>((resolve) => {
      const headers = { "content-type": "application/json", "content-length": bracketBytes };
      const sent = request(`${url}/json-rpc`, { method: "POST", headers }, (response) => {
        if (response.statusCode === 401) refused += 1;
        response.resume().on("close", resolve);
      });
      sent.on("error", () => resolve()).end(body);
    });
  const loop = async (): Promise<void> => {
    while (!signal.aborted) await post();
  };
  void loop();
  void loop();
  return () => ({ refused });
};

const bodies = 120;
const headers = 800;
const dripMs = 5_000;

/** 120 connections send no more of a body, and 800 send a line of headers every five seconds. */
const stalled: Attack = ({ url, apiKey }, signal) => {
  let open = 0;
  let closed = 0;
  let longestMs = 0;

  async function hold(head: string, line: string): Promise<void> {
    const socket = await connectRaw(url);
    const openedAt = performance.now();
    open += 1;
    socket.on("close", () => {
      if (signal.aborted) return;
      open -= 1;
      closed += 1;
      longestMs = Math.max(longestMs, performance.now() - openedAt);
    });
    socket.resume().write(head);
    signal.addEventListener("abort", () => socket.destroy());
    while (line !== "" && socket.writable) {
      await sleep(dripMs, undefined, { ref: false });
      if (socket.writable) socket.write(line);
    }
  }

  for (let count = 0; count < bodies; count += 1) {
    const head = headOf(4_000_000, count % 2 === 0 ? { "x-api-key": apiKey } : {});
    void hold(head + "[".repeat(60_000), "");
  }
  for (let count = 0; count < headers; count += 1)
    void hold("POST /json-rpc HTTP/1.1\r\nhost: localhost\r\n", "x-more: 1\r\n");
  return () => ({ open, closed, longestMs: Math.round(longestMs) });
};

const listsInBatch = 150;

/** A key sends batches of lists of runs with two tags, one after the other. */
const lists: Attack = ({ url, apiKey }, signal) => {
  const params = [{ tags: { env: "production", panel: "panel 7" } }];
  const batch = Array.from({ length: listsInBatch }, (_, id) => ({
    jsonrpc: "2.0",
    id,
    method: "listQueryRuns",
    params,
  }));
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  let answered = 0;
  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const response = await fetch(`${url}/json-rpc`, { method: "POST", headers, body: JSON.stringify(batch) });
      await response.arrayBuffer();
      if (response.status === 200) answered += listsInBatch;
    }
  };
  loop().catch(() => {}); // the count stays too low
  return () => ({ answered });
};

const backtracking = ["%a_%a_%a_%a_%b", "%_a%_a%_a%_a%b", "%a%a%a_%a%a%b_"];

/** A tenant reads pages of 20,000-character texts with filters that almost match them, three at a time. */
const filters: Attack = ({ url, apiKey }, signal) => {
  const headers = { "content-type": "application/json", "x-api-key": apiKey };
  const call = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: [params] });
    const response = await fetch(`${url}/json-rpc`, { method: "POST", headers, body });
    return (await response.json()) as { readonly result?: { readonly queryRun: { readonly id: string } } };
  };
  let answered = 0;
  let refused = 0;
  const start = async (): Promise<void> => {
    const sql = "select repeat('a', 20000) || range as text from range(2000)";
    const { result } = await call("createQueryRun", { sql, waitSeconds: 50 });
    const loop = async (like: string): Promise<void> => {
      while (!signal.aborted) {
        const page = { queryRunId: result?.queryRun.id, filters: [{ column: "text", like }] };
        if ((await call("getQueryRunResults", page)).result === undefined) refused += 1;
        else answered += 1;
      }
    };
    await Promise.all(backtracking.map(loop));
  };
  start().catch(() => {}); // the counts stay too low
  return () => ({ answered, refused });
};

export const attacks = { brackets, filters, lists, stalled } satisfies Readonly<Record<string, Attack>>;

export type AttackName = keyof typeof attacks;
