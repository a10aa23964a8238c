import { describe, expect, it, test } from "vitest";
import type { HttpReply } from "../../src/transport/transport.ts";
import { batchesOf, createBatchQueue } from "../../src/wire/batch-queue.ts";
import type { Call } from "../../src/wire/call.ts";
import { endpointOf } from "../../src/wire/post.ts";
import { abortError, hasCode, QuernError } from "../../src/wire/quern-error.ts";
import { bodyOf, deliver } from "../../src/wire/reply.ts";
import { isTransient, isUnprocessed, retryDelayMs } from "../../src/wire/retry.ts";

const reply = (members: object = {}) => ({ status: 200, text: "", ...members }) as HttpReply;
const headers = (values: Record<string, string>) => new Headers(values);

describe("a body", () => {
  it.each<[string, unknown]>([
    ['{"a":9007199254740991}', { a: 9_007_199_254_740_991 }],
    ['{"a":9007199254740993}', { a: "9007199254740993" }],
    ["[ -9007199254740993]", ["-9007199254740993"]],
    ["[1,9007199254740993]", [1, "9007199254740993"]],
    ["[1234567890123456.5]", [1_234_567_890_123_456.5]],
    ['["9007199254740993",12345678901234567890]', ["9007199254740993", "12345678901234567890"]],
    ["{", undefined],
  ])("%s is read with all digits", (text, value) => {
    expect(bodyOf(reply({ text }))).toEqual(value);
  });

  it("that is parsed already is used", () => {
    expect(bodyOf(reply({ text: "{", data: 7 }))).toBe(7);
  });
});

/** Delivers a body to calls with the ids 1 and more. Returns the outcome of each. */
function delivered(body: unknown, count = 1, http: object = {}, willRetry?: (error: { code: number }) => boolean) {
  const outcomes: unknown[] = Array(count).fill("pending");
  const calls = outcomes.map((_, at) => ({
    id: at + 1,
    descriptor: { name: "get", errors: { [-5]: "Known" } },
    finish(error: unknown, result: unknown) {
      outcomes[at] = error === undefined ? { result } : { ...(error as object), message: (error as Error).message };
    },
  }));
  deliver(calls as unknown as readonly Call[], reply(http), body, willRetry);
  return outcomes;
}
const missing = {
  name: "QuernError",
  kind: "protocol",
  method: "get",
  status: 200,
  message: "get: the answer is not a JSON-RPC reply to this call",
};
const failed = (code: number, id: unknown = 1) => ({ id, error: { code, message: "no", data: 3 } });

describe("a reply", () => {
  it("ends the calls by their ids, as numbers or texts", () => {
    expect(
      delivered(
        [
          { id: "2", result: "b" },
          { id: 1, result: "a" },
        ],
        2,
      ),
    ).toEqual([{ result: "a" }, { result: "b" }]);
    expect(delivered([{ id: 1, result: "a" }], 2)).toEqual([{ result: "a" }, missing]);
    expect(delivered([7, null, { id: 3, result: 1 }], 1)).toEqual([missing]);
  });

  it("without an id is that of a single call, or the error of all calls", () => {
    expect(delivered({ result: "a" })).toEqual([{ result: "a" }]);
    expect(delivered({ id: null, result: "a" })).toEqual([{ result: "a" }]);
    expect(delivered({ result: "a" }, 2)).toEqual([missing, missing]);
    expect(delivered([{ result: "a" }])).toEqual([missing]);
    expect(delivered(failed(-5, null), 2)).toMatchObject([{ code: -5 }, { code: -5 }]);
  });

  it("has a declared or an undeclared error", () => {
    const http = { headers: headers({ "x-request-id": "r" }) };
    expect(delivered(failed(-5), 1, http)).toEqual([
      {
        name: "QuernError",
        kind: "rpc",
        code: -5,
        data: 3,
        errorName: "Known",
        method: "get",
        status: 200,
        requestId: "r",
        message: "get: no (Known -5)",
      },
    ]);
    expect(delivered(failed(-6))).toMatchObject([{ kind: "undeclared", code: -6, message: "get: no (error -6)" }]);
    expect(delivered(failed(-6))[0]).not.toHaveProperty("requestId");
  });

  it("leaves a call pending that is retried", () => {
    const outcomes = delivered([failed(-5), failed(-6, 2)], 2, {}, ({ code }) => code === -5);
    expect(outcomes).toMatchObject(["pending", { code: -6 }]);
  });

  it("of a gateway is an error of HTTP", () => {
    expect(delivered(failed(-5), 1, { status: 500 })).toMatchObject([{ kind: "http", message: "get: HTTP 500" }]);
    expect(delivered(failed(-5), 1, { status: 499 })).toMatchObject([{ kind: "rpc", status: 499 }]);
    expect(delivered([failed(-5)], 1, { status: 500 })).toMatchObject([{ kind: "rpc", status: 500 }]);
    const kinds = [199, 200, 299, 300].map((status) => (delivered(7, 1, { status })[0] as QuernError).kind);
    expect(kinds).toEqual(["http", "protocol", "protocol", "http"]);
    expect(delivered(undefined, 1, { status: 0 })).toMatchObject([
      { kind: "network", message: "get: no answer: a redirect" },
    ]);
    expect(delivered(undefined, 1, { status: 0, cause: new Error("reset") })).toMatchObject([
      { message: "get: no answer: reset" },
    ]);
  });
});

test("a failed request is sent again by its status", () => {
  const statuses = [0, 200, 400, 407, 408, 409, 428, 429, 430, 499, 500, 501, 502, 503, 599];
  expect(statuses.filter((status) => isTransient(reply({ status })))).toEqual([0, 408, 429, 502, 503, 599]);
  expect(statuses.filter((status) => isUnprocessed(reply({ status })))).toEqual([400, 407, 409, 428, 429, 430, 499]);
  const later = headers({ "retry-after": "1" });
  expect([502, 503, 504].filter((status) => isUnprocessed(reply({ status, headers: later })))).toEqual([503]);
  const codes = ["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "ECONNRESET", "XECONNREFUSED", "ENOTFOUNDX", undefined];
  expect(codes.filter((code) => isUnprocessed(reply({ status: 0, cause: { code } })))).toEqual(codes.slice(0, 3));
});

test("a retry waits as the service says, else at most 200 ms, 400 ms and so on up to 5 s", () => {
  const after = (text: string) => retryDelayMs(reply({ headers: headers({ "retry-after": text }) }), 0);
  expect([after("0"), after("3")]).toEqual([0, 3000]);
  for (const text of ["-1", "soon", ""]) expect(after(text)).toBeLessThanOrEqual(200);
  const random = Math.random;
  Math.random = () => 1;
  try {
    expect([0, 1, 4, 5].map((tries) => retryDelayMs(reply(), tries))).toEqual([200, 400, 3200, 5000]);
    expect(after("Thu, 01 Jan 1970 00:00:00 GMT")).toBe(200);
  } finally {
    Math.random = random;
  }
});

test.each([
  ["http://a", "http://a/json-rpc"],
  ["http://a/", "http://a/json-rpc"],
  ["https://a/v1//", "https://a/v1/json-rpc"],
  ["http://a/json-rpc", "http://a/json-rpc"],
  ["http://a/v1/json-rpc//", "http://a/v1/json-rpc"],
  ["http://a/json-rpc/v1", "http://a/json-rpc/v1/json-rpc"],
  ["http://a/xjson-rpc?b=c", "http://a/xjson-rpc/json-rpc?b=c"],
])("the endpoint of %s is %s", (url, endpoint) => {
  expect(endpointOf(url)).toBe(endpoint);
});

test.each([
  ["ftp://a", "expected http: or https:, got ftp:"],
  ["httpx://a", "expected http: or https:, got httpx:"],
  ["http://user@a", "remove its user name and password"],
  ["http://:password@a", "remove its user name and password"],
  ["", 'Invalid url: ""; use an absolute URL'],
  ["http://user:secret@a:port", 'Invalid url: "http://…@a:port"; use'],
])("the url %s is refused", (url, message) => {
  expect(() => endpointOf(url)).toThrow(message);
});

describe("batches", () => {
  const descriptor = { name: "getQueryRun", errors: {} };
  const call = (name: string, options: object = {}, text = "") => ({ name, descriptor, options, text, done: false });
  const batched = (...calls: readonly ReturnType<typeof call>[]) =>
    batchesOf(calls as unknown as readonly Call[]).map((batch) =>
      batch.map((one) => (one as unknown as { name: string }).name).join(""),
    );
  const many = (count: number, options: object = {}, text = "") =>
    Array.from({ length: count }, () => call("a", options, text));

  it("have 50 calls at most, and fewer of large requests or answers", () => {
    expect(batched(...many(50)).map((batch) => batch.length)).toEqual([50]);
    expect(batched(...many(51)).map((batch) => batch.length)).toEqual([50, 1]);
    expect(batched(...many(3, {}, "x".repeat(131_072))).map((batch) => batch.length)).toEqual([2, 1]);
    expect(batched(...many(5, { replyBytes: 262_144 })).map((batch) => batch.length)).toEqual([4, 1]);
    expect(batched(...many(2, { replyBytes: Infinity })).map((batch) => batch.length)).toEqual([1, 1]);
  });

  it("have long polls and unbatched calls apart, in order", () => {
    const calls = [
      call("a", { longPoll: true }),
      call("b"),
      call("c", { unbatched: true }),
      call("d"),
      call("e", { longPoll: true }),
    ];
    expect(batched(...calls)).toEqual(["bd", "c", "ae"]);
    expect(batched()).toEqual([]);
  });

  it("are collected until the next microtask, without calls that are over", async () => {
    const flushed: string[] = [];
    const add = createBatchQueue((calls) =>
      flushed.push(calls.map((one) => (one as unknown as { name: string }).name).join("")),
    );
    const over = call("b");
    for (const one of [call("a"), over, call("c")]) add(one as unknown as Call);
    over.done = true;
    expect(flushed).toEqual([]);
    await Promise.resolve();
    add(call("d") as unknown as Call);
    await Promise.resolve();
    expect(flushed).toEqual(["ac", "d"]);
  });
});

test("an aborted call has the reason, and a timeout its message", () => {
  const reason = new DOMException("not done within 5 ms", "TimeoutError");
  expect(abortError(reason, "get")).toMatchObject({
    kind: "timeout",
    message: "get: not done within 5 ms",
    cause: reason,
  });
  expect(abortError(new DOMException("", "TimeoutError"))).toMatchObject({ kind: "timeout", message: "aborted" });
  expect(abortError(new Error("why"))).toMatchObject({ kind: "aborted", message: "aborted" });
  expect(abortError(undefined)).toMatchObject({ kind: "aborted", cause: undefined });
});

test("an error has its members in JSON, and may be recognized by its code", () => {
  const error = new QuernError("rpc", "no", { code: 5, method: "get" });
  expect(JSON.parse(JSON.stringify(error))).toEqual({
    name: "QuernError",
    kind: "rpc",
    code: 5,
    method: "get",
    message: "get: no",
  });
  expect([hasCode(error, 5), hasCode(error, 6), hasCode(undefined, 5), hasCode("5", 5)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
});
