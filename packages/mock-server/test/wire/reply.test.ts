import { describe, expect, it } from "vitest";
import { callOf, callText, lastingParams } from "../../src/wire/call.ts";
import { apiKeyOf, chain, createExchange, type Middleware, parsedCalls } from "../../src/wire/exchange.ts";
import {
  isReplyTo,
  jsonValue,
  overridden,
  parsedReply,
  replyBody,
  textOf,
  withBody,
  withHead,
} from "../../src/wire/reply.ts";

const reply = (...body: readonly (string | Uint8Array)[]) => ({ status: 200, headers: { a: "b" }, body });

describe("the body of a reply", () => {
  it.each([
    ['{"id":1}', { isBatch: false, objects: [{ id: 1 }] }],
    ['[{"id":1},5,null,{"id":2}]', { isBatch: true, objects: [{ id: 1 }, { id: 2 }] }],
    ["5", { isBatch: false, objects: [] }],
    ["<html>", { isBatch: false, objects: [] }],
  ])("%s is parsed", (text, body) => {
    expect(parsedReply(text)).toEqual(body);
  });

  it("is parsed once, and known after it is replaced or its head is", () => {
    const one = reply('{"id":', new TextEncoder().encode("1}"));
    const body = replyBody(one);
    expect([body.objects, replyBody(one)]).toEqual([[{ id: 1 }], body]);
    expect(replyBody(one)).toBe(body);
    const headed = withHead(one, { status: 500, headers: {} });
    expect(headed).toEqual({ ...one, status: 500, headers: {} });
    expect(replyBody(headed)).toBe(body);
    const changed = withBody(one, { isBatch: true, objects: [{ id: 2 }] });
    expect([changed.status, changed.headers, textOf(changed)]).toEqual([200, { a: "b" }, '[{"id":2}]']);
    expect(replyBody(changed).objects).toEqual([{ id: 2 }]);
    expect(textOf(withBody(one, { isBatch: false, objects: [{ id: 2 }, { id: 3 }] }))).toBe('{"id":2}');
    expect(withBody(one, { isBatch: false, objects: [] }).body).toEqual([]);
    expect(textOf(withBody(one, body, "x"))).toBe("x");
    expect(replyBody(withHead(reply('{"id":3}'), { status: 1, headers: {} })).objects).toEqual([{ id: 3 }]);
    expect(textOf({ status: 204, headers: {}, body: null })).toBe("");
  });

  it.each([
    [1, 1, true],
    ["1", 1, false],
    [null, null, true],
    [undefined, undefined, false],
    [undefined, null, false],
  ])("with the id %j answers the call %j: %s", (id, callId, answers) => {
    expect(isReplyTo({ method: "m", params: {}, id: callId }, { id })).toBe(answers);
  });

  it("answers no request that is not a call", () => {
    expect(isReplyTo(undefined, {})).toBe(false);
  });
});

it.each([
  [{ a: 1, b: { c: 2, d: 3 } }, { b: { c: 4 } }, { a: 1, b: { c: 4, d: 3 } }],
  [{ a: { b: 1 } }, { a: [2] }, { a: [2] }],
  [{ a: [1] }, { a: { b: 2 } }, { a: { b: 2 } }],
  [{ a: null }, { a: { b: 2 } }, { a: { b: 2 } }],
  [{ a: 1 }, { b: { c: 2 } }, { a: 1, b: { c: 2 } }],
])("%j is overridden by %j to %j", (result, override, expected) => {
  expect(overridden(result, override)).toEqual(expected);
});

it("a value of a test is sent as JSON", () => {
  expect([jsonValue({ a: undefined, b: new Date(0) }), jsonValue(undefined), jsonValue(null)]).toEqual([
    { b: "1970-01-01T00:00:00.000Z" },
    undefined,
    null,
  ]);
});

describe("a call", () => {
  it.each([
    [
      { method: "m", params: [{ a: 1 }, 2], id: 1 },
      { method: "m", params: { a: 1 }, id: 1 },
    ],
    [
      { method: "m", params: { a: 1 } },
      { method: "m", params: undefined, id: undefined },
    ],
    [{ method: 5 }, undefined],
    [null, undefined],
    ["m", undefined],
  ])("of %j", (member, call) => {
    expect(callOf(member)).toEqual(call);
  });

  it("lasts without the members that differ between equal calls", () => {
    expect(lastingParams({ waitSeconds: 1, idempotencyKey: "a", sql: "b" })).toEqual({ sql: "b" });
    expect([lastingParams(undefined), lastingParams(null), lastingParams(["waitSeconds"]), lastingParams(5)]).toEqual([
      undefined,
      null,
      ["waitSeconds"],
      5,
    ]);
  });

  it("has a text, also with a pattern, without params, and with params that are too deep", () => {
    let deep: unknown = [];
    for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
    expect([callText("m", { a: /b/i }), callText("m", undefined), callText("m", deep)]).toEqual([
      'm({"a":"/b/i"})',
      "m()",
      "m(…)",
    ]);
  });

  it("is each member of a body", () => {
    const call = { method: "m", params: undefined, id: 1 };
    expect(parsedCalls('{"method":"m","id":1}')).toEqual([call]);
    expect(parsedCalls('[{"method":"m","id":1},5]')).toEqual([call, undefined]);
    expect(parsedCalls("<html>")).toEqual([undefined]);
  });
});

it.each([
  [{ "x-api-key": "a" }, "a"],
  [{ "x-api-key": "a", authorization: "Bearer b" }, "a"],
  [{ "x-api-key": "", authorization: "bearer  b" }, "b"],
  [{ authorization: "Basic b" }, undefined],
  [{ authorization: "x Bearer b" }, undefined],
  [{ authorization: "Bearer" }, undefined],
  [{}, undefined],
])("the key of %j is %j", (headers, key) => {
  expect(apiKeyOf(new Headers(headers as Record<string, string>))).toBe(key);
});

describe("a chain of middleware", () => {
  const caller = { headers: new Headers(), namespace: undefined, signal: undefined };

  it("passes on the exchange, or a request of fewer members, from the first to the last", async () => {
    const seen: unknown[] = [];
    const note =
      (name: string, members?: readonly unknown[]): Middleware<undefined> =>
      async ({ body, calls, isBatch }, next) => {
        seen.push([name, String(body), calls.map((call) => call?.method), isBatch]);
        return next(members);
      };
    const answer = chain<undefined>([note("a", [{ method: "n" }]), note("b")], async ({ body }) => reply(String(body)));
    await answer(createExchange('[{"method":"m"},{"method":"n"}]', caller));
    await answer(createExchange('{"method":"m"}', caller));
    expect(seen).toEqual([
      ["a", '[{"method":"m"},{"method":"n"}]', ["m", "n"], true],
      ["b", '[{"method":"n"}]', ["n"], true],
      ["a", '{"method":"m"}', ["m"], false],
      ["b", '{"method":"n"}', ["n"], false],
    ]);
  });

  it("also passes on a body that is not JSON", async () => {
    const exchange = createExchange("<html>", caller);
    expect([exchange.parsed, exchange.members, exchange.calls]).toEqual([undefined, [undefined], [undefined]]);
  });
});
