import { expect, it } from "vitest";
import { canonicalJson } from "../src/canonical-json.ts";
import { idempotencyText, isRemembered, withdrawalIssues } from "../src/idempotency.ts";

it("two calls are equal whatever the order of their members, their `waitSeconds` and their `results`", () => {
  const text = idempotencyText({ sql: "select $x, $y", tags: { a: "1", b: null }, parameters: { x: 1, y: "2" } });
  const again = {
    results: {},
    parameters: { y: "2", x: 1 },
    waitSeconds: 5,
    tags: { b: null, a: "1" },
    sql: "select $x, $y",
  };
  expect(idempotencyText(again)).toBe(text);
  expect(idempotencyText({ ...again, tags: { a: null, b: "1" } })).not.toBe(text);
});

it("canonical JSON sorts members, keeps the order of arrays and loses nothing", () => {
  const text = '{"__proto__":{"a":"\\"\\u2028","b":[2,1,null,true]},"é":-0.5}';
  expect(JSON.parse(canonicalJson(JSON.parse(text)))).toEqual(JSON.parse(text));
  expect(canonicalJson([{ q: [], p: { z: 1, y: 2 } }, 1])).toBe('[{"p":{"y":2,"z":1},"q":[]},1]');
});

it("a key is remembered for a day", () => {
  expect([isRemembered(5, 86_400_004), isRemembered(5, 86_400_005)]).toEqual([true, false]);
});

it("a withdrawal has a run, optionally one of its requests, or a key", () => {
  expect(withdrawalIssues({ queryRunId: "run", queryRequestId: "req" })).toEqual([]);
  expect(withdrawalIssues({ idempotencyKey: "k" })).toEqual([]);
  expect(withdrawalIssues({})).toEqual([
    { pointer: "/queryRunId", expected: "queryRunId or idempotencyKey", received: "neither" },
  ]);
  expect(withdrawalIssues({ queryRunId: "run", queryRequestId: "req", idempotencyKey: "k" })).toMatchObject([
    { pointer: "/idempotencyKey", received: "both" },
  ]);
  expect(withdrawalIssues({ queryRequestId: "req", idempotencyKey: "k" })).toMatchObject([
    {
      pointer: "/queryRequestId",
      expected: "queryRequestId only with queryRunId",
      received: "queryRequestId with idempotencyKey",
    },
  ]);
});
