import { EngineLostError } from "@quern/adapter";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { HttpRequest } from "../../src/protocol/http.ts";

/** Waits before the retries, in milliseconds. They pass at once. */
const waits: number[] = [];
let now = 0;
let beforeWait = (): void => {};
vi.mock("node:timers/promises", () => ({
  async setTimeout(ms: number, _: unknown, { signal }: { readonly signal: AbortSignal }) {
    waits.push(ms);
    now += ms;
    beforeWait();
    signal.throwIfAborted();
  },
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => {
  vi.restoreAllMocks();
  vi.resetModules();
});
const { send } = await import("../../src/protocol/http.ts");

const fetched = vi.spyOn(globalThis, "fetch");
const timers = vi.spyOn(globalThis, "setTimeout");
const cleared = vi.spyOn(globalThis, "clearTimeout");
beforeEach(() => {
  waits.length = 0;
  now = 0;
  beforeWait = () => {};
  vi.spyOn(performance, "now").mockImplementation(() => now);
  fetched.mockReset();
  timers.mockClear();
});

const url = "https://trino.example.org:8443/v1/statement?secret=1";
const request: HttpRequest = {
  method: "GET",
  url,
  headers: { a: "b" },
  signal: new AbortController().signal,
  retryMs: 1_000,
};

/** Answers with these in turn, and then with the last one. */
function answer(...replies: readonly (Error | (() => Response))[]): void {
  const left = [...replies];
  fetched.mockImplementation(async () => {
    const reply = left.length > 1 ? left.shift() : left[0];
    if (typeof reply === "function") return reply();
    throw reply;
  });
}

const status =
  (code: number, headers: Readonly<Record<string, string>> = {}) =>
  () =>
    new Response("x", { status: code, headers });
const networkError = (code?: string) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("hush"), code === undefined ? {} : { code }) });
const unavailable = (code: number): string =>
  `Trino, or its storage, at https://trino.example.org:8443 is not available: it answered with the HTTP status ${code}.`;
const unreachable = (reason: string): string =>
  `Cannot reach Trino, or its storage, at https://trino.example.org:8443: ${reason}; check the address and the network.`;

it("sends the request without following redirects, and reads the whole body", async () => {
  answer(() => new Response("body", { status: 302 }));
  const sent = await send({ ...request, method: "POST", body: "SELECT 1" });
  expect({ ...sent, body: Buffer.from(sent.body).toString() }).toEqual({ status: 302, body: "body" });
  const [to, init] = fetched.mock.calls[0] ?? [];
  expect([to, { ...init, signal: undefined }]).toEqual([
    url,
    { method: "POST", headers: { a: "b" }, redirect: "manual", body: "SELECT 1", signal: undefined },
  ]);
  const limit = timers.mock.results[timers.mock.calls.findIndex(([, ms]) => ms === 120_000)]?.value;
  expect(limit).toBeDefined();
  expect(cleared).toHaveBeenCalledWith(limit);
  answer(() => new Response(null, { status: 204 }));
  expect(await send(request)).toEqual({ status: 204, body: Buffer.alloc(0) });
  expect(Object.keys(fetched.mock.calls.at(-1)?.[1] ?? {})).not.toContain("body");
});

describe("a transient failure", () => {
  it.each([429, 502, 503, 504])("with the status %i is retried, also for a POST", async (code) => {
    answer(status(code), status(200));
    expect(await send({ ...request, method: "POST" })).toMatchObject({ status: 200 });
    expect(waits).toEqual([100]);
  });

  it.each([200, 400, 404, 500, 501])("is not the status %i", async (code) => {
    answer(status(code));
    expect(await send(request)).toMatchObject({ status: code });
    expect(fetched).toHaveBeenCalledTimes(1);
  });

  it("is retried after waits that double up to two seconds, until the time for retries has passed", async () => {
    answer(status(503));
    await expect(send({ ...request, retryMs: 7_100 })).rejects.toThrow(new EngineLostError(unavailable(503)));
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 2_000, 2_000]);
    waits.length = 0;
    await expect(send({ ...request, retryMs: 7_099 })).rejects.toMatchObject({ name: "EngineLostError" });
    expect(waits).toEqual([100, 200, 400, 800, 1_600, 2_000]);
  });

  it.each([
    ["0", 100],
    ["0.5", 500],
    ["3", 3_000],
    ["-1", 100],
    ["Wed, 21 Oct 2026 07:28:00 GMT", 100],
  ])("with the header Retry-After: %s is retried after %i ms", async (seconds, ms) => {
    answer(status(503, { "retry-after": seconds }), status(200));
    await send({ ...request, retryMs: 3_000 });
    expect(waits).toEqual([ms]);
  });

  it("whose Retry-After is beyond the time for retries is final", async () => {
    answer(status(503, { "retry-after": "4" }), status(200));
    await expect(send({ ...request, retryMs: 3_000 })).rejects.toThrow(unavailable(503));
    expect(waits).toEqual([]);
  });

  it("gives back the connection", async () => {
    const cancel = vi.fn();
    answer(() => new Response(new ReadableStream({ cancel }), { status: 503 }), status(200));
    await send(request);
    expect(cancel).toHaveBeenCalledTimes(1);
  });
});

describe("a failed connection", () => {
  it.each([
    [networkError("ECONNREFUSED"), "ECONNREFUSED"],
    [networkError(), "the connection failed"],
    [new TypeError("terminated"), "the connection failed"],
    [new DOMException("late", "TimeoutError"), "no answer within 120 seconds"],
  ])("is retried, except for a POST, and then %s loses the engine", async (error, reason) => {
    answer(error, status(200));
    expect(await send(request)).toMatchObject({ status: 200 });
    expect(waits).toEqual([100]);
    answer(error, status(200));
    await expect(send({ ...request, method: "POST" })).rejects.toThrow(new EngineLostError(unreachable(reason)));
    expect(waits).toEqual([100]);
  });

  it("is no other error", async () => {
    answer(new RangeError("a defect"));
    await expect(send(request)).rejects.toThrow(new RangeError("a defect"));
    answer(new DOMException("other", "DataError"));
    await expect(send(request)).rejects.toThrow("other");
    expect(fetched).toHaveBeenCalledTimes(2);
  });
});

it("ends with the reason of an abort, before an attempt and during a wait", async () => {
  answer(networkError("ECONNRESET"));
  await expect(send({ ...request, signal: AbortSignal.abort("before") })).rejects.toBe("before");
  const controller = new AbortController();
  answer(status(503));
  beforeWait = () => controller.abort("enough");
  await expect(send({ ...request, signal: controller.signal })).rejects.toBe("enough");
  expect(waits).toEqual([100]);
});

it("gives the attempt the signal of its caller", async () => {
  const controller = new AbortController();
  let inner: AbortSignal | null | undefined;
  fetched.mockImplementation(async (_, init) => {
    inner = init?.signal;
    return new Response();
  });
  await send({ ...request, signal: controller.signal });
  expect(inner?.aborted).toBe(false);
  controller.abort("left");
  expect(inner?.reason).toBe("left");
});
