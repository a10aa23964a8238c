import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpReply } from "../../src/transport/transport.ts";
import { type Call, type CallOptions, startCall } from "../../src/wire/call.ts";
import { createExchange } from "../../src/wire/exchange.ts";
import { QuernError } from "../../src/wire/quern-error.ts";

const descriptor = { name: "getQueryRun", errors: {} };
const headersOf = (headers: Readonly<Record<string, string>>) => new Headers(headers);
const good: HttpReply = { status: 200, text: '{"jsonrpc":"2.0","id":1,"result":"good"}' };
const lost: HttpReply = { status: 0, text: "" };
const tooEarly = (retryAfterMs: number): HttpReply => ({
  status: 200,
  text: JSON.stringify({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32029, message: "slow down", data: { retryAfterMs } },
  }),
});

/** Sends one call to a service with the listed answers, and returns the delays between the attempts. */
async function exchangeOf(replies: readonly HttpReply[], options: CallOptions = {}, retries = 9) {
  const left = [...replies];
  const waits: number[] = [];
  const exchange = createExchange({
    post: async () => left.shift() ?? good,
    retries,
    timeoutMs: 60_000,
    sleep: async (ms) => void waits.push(ms),
    server: { batch: true },
  });
  const leftOpen = new QuernError("protocol", "the exchange has ended without an answer");
  const result = startCall(1, descriptor, {}, options, (call) => {
    void exchange([call]).then(() => call.finish(leftOpen));
  });
  return { result: await result.catch((error: Error) => error.message), waits, left };
}

describe("the wait before the next attempt", () => {
  beforeEach(() => void vi.spyOn(Math, "random").mockReturnValue(0.5));
  afterEach(() => void vi.restoreAllMocks());

  it("doubles from 200 ms to 5 s, and is a random part of that", async () => {
    const { waits } = await exchangeOf(Array.from({ length: 7 }, () => lost));
    expect(waits).toEqual([100, 200, 400, 800, 1600, 2500, 2500]);
  });

  it("is the time that the service asks for, in seconds or as a date", async () => {
    vi.useFakeTimers({ now: Date.parse("2026-01-01T00:00:00Z"), toFake: ["Date"] });
    const asked = ["3", "0", "Thu, 01 Jan 2026 00:00:07 GMT"].map((retryAfter) => ({
      status: 503,
      text: "",
      headers: headersOf({ "retry-after": retryAfter }),
    }));
    expect((await exchangeOf(asked)).waits).toEqual([3000, 0, 7000]);
    vi.useRealTimers();
  });

  it("grows if the service asks for no time, an invalid time, or a past date", async () => {
    const headers = ["soon", "-1", "Thu, 01 Jan 1970 00:00:00 GMT"].map((time) => ({ "retry-after": time }));
    const asked = [...headers, {}].map((each) => ({ status: 502, text: "", headers: headersOf(each) }));
    expect((await exchangeOf(asked)).waits).toEqual([100, 200, 400, 800]);
  });

  it("is the time that a member of the answer asks for", async () => {
    const { waits, result } = await exchangeOf([tooEarly(1234), tooEarly(0)]);
    expect({ waits, result }).toEqual({ waits: [1234, 0], result: "good" });
  });
});

it("retries as often as allowed", async () => {
  const { waits, left, result } = await exchangeOf([lost, lost, lost, lost], {}, 2);
  expect({ waits: waits.length, left: left.length }).toEqual({ waits: 2, left: 1 });
  expect(result).toContain("no answer");
  const early = await exchangeOf([tooEarly(1), tooEarly(1), tooEarly(1), tooEarly(1)], {}, 2);
  expect({ waits: early.waits, left: early.left.length }).toEqual({ waits: [1, 1], left: 1 });
});

it.each([
  [408, 1],
  [429, 1],
  [500, 0],
  [501, 0],
  [502, 1],
  [504, 1],
  [400, 0],
])("a read is retried %i times after HTTP %i", async (status, times) => {
  expect((await exchangeOf([{ status, text: "" }])).waits).toHaveLength(times);
});

it.each([
  ["a refused connection", { ...lost, cause: Object.assign(new Error("x"), { code: "ECONNREFUSED" }) }, 1],
  ["a host without address", { ...lost, cause: Object.assign(new Error("x"), { code: "ENOTFOUND" }) }, 1],
  ["a reset connection", { ...lost, cause: Object.assign(new Error("x"), { code: "ECONNRESET" }) }, 0],
  ["HTTP 429", { status: 429, text: "" }, 1],
  ["HTTP 408", { status: 408, text: "" }, 0],
  ["HTTP 503 with Retry-After", { status: 503, text: "", headers: headersOf({ "retry-after": "0" }) }, 1],
  ["HTTP 503 without", { status: 503, text: "" }, 0],
])("a call with `once` is retried after %s %i times", async (_, reply, times) => {
  const { result } = await exchangeOf([reply], { once: true });
  expect(result === "good").toBe(times === 1);
});

describe("a batch of creates that is answered as one", () => {
  const single = (code: number) => `{"jsonrpc":"2.0","id":null,"error":{"code":${code},"message":"no batches here"}}`;
  it.each([
    ["not read: HTTP 400", { status: 400, text: "<html>" }, 2],
    ["not read: an error of JSON-RPC", { status: 200, text: single(-32600) }, 2],
    ["not permitted", { status: 403, text: "" }, 0],
    ["perhaps done: HTTP 500", { status: 500, text: "" }, 0],
    ["perhaps done: no JSON-RPC", { status: 200, text: "<html>" }, 0],
  ])("is sent again as single calls only if it was certainly %s", async (_, refusal, again) => {
    const sent: number[][] = [];
    const exchange = createExchange({
      post: async (calls) => {
        sent.push(calls.map(({ id }) => id));
        const [call] = calls;
        return calls.length > 1 ? refusal : { status: 200, text: `{"jsonrpc":"2.0","id":${call?.id},"result":"good"}` };
      },
      retries: 0,
      timeoutMs: 60_000,
      sleep: async () => {},
      server: { batch: true },
    });
    const calls: Call[] = [];
    const answers = [1, 2].map((id) => startCall(id, descriptor, {}, { once: true }, (call) => void calls.push(call)));
    const settled = Promise.allSettled(answers);
    await exchange(calls);
    expect((await settled).filter(({ status }) => status === "fulfilled")).toHaveLength(again);
    expect(sent).toEqual([[1, 2], ...[[1], [2]].slice(0, again)]);
  });
});
