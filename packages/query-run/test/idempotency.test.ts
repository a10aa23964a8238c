import { expect, it } from "vitest";
import { canonicalJson } from "../src/canonical-json.ts";
import { idempotencyText } from "../src/idempotency.ts";

it("two calls are the same whatever the order of their members, and however long they wait", () => {
  const text = idempotencyText({ sql: "select $x, $y", tags: { a: "1", b: null }, parameters: { x: 1, y: "2" } });
  const again = { parameters: { y: "2", x: 1 }, waitSeconds: 5, tags: { b: null, a: "1" }, sql: "select $x, $y" };
  expect(idempotencyText(again)).toBe(text);
  expect(idempotencyText({ ...again, tags: { a: null, b: "1" } })).not.toBe(text);
});

it("canonical JSON is JSON: nothing is lost, members have one order, and arrays keep theirs", () => {
  const text = '{"__proto__":{"a":"\\"\\u2028","b":[2,1,null,true]},"é":-0.5}';
  expect(JSON.parse(canonicalJson(JSON.parse(text)))).toEqual(JSON.parse(text));
  expect(canonicalJson([{ q: [], p: { z: 1, y: 2 } }, 1])).toBe('[{"p":{"y":2,"z":1},"q":[]},1]');
});
