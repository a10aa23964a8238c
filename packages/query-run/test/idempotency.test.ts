import { expect, it } from "vitest";
import { canonicalJson } from "../src/canonical-json.ts";
import { idempotencyText } from "../src/idempotency.ts";

it("two calls are the same whatever the order of their members, and however long they wait", () => {
  const text = idempotencyText({ sql: "select 1", tags: { a: "1", b: null }, parameters: { x: [1, { p: 1, q: 2 }] } });
  expect(
    idempotencyText({
      parameters: { x: [1, { q: 2, p: 1 }] },
      waitSeconds: 5,
      tags: { b: null, a: "1" },
      sql: "select 1",
    }),
  ).toBe(text);
  expect(idempotencyText({ sql: "select 1", tags: { a: null, b: "1" } })).not.toBe(text);
});

it("canonical JSON is JSON: nothing is lost, and arrays keep their order", () => {
  const text = '{"__proto__":{"a":"\\"\\u2028","b":[2,1,null,true]},"é":-0.5}';
  expect(JSON.parse(canonicalJson(JSON.parse(text)))).toEqual(JSON.parse(text));
  expect(canonicalJson([2, 1])).toBe("[2,1]");
});
