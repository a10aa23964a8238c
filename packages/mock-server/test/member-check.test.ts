import { expect, it } from "vitest";
import { advice, memberCheck } from "../src/member-check.ts";

interface Options {
  readonly size?: number;
  readonly mode?: "slow" | "fast";
  readonly deep?: object;
}
const check = memberCheck<Options>("options", {
  size: { type: "number" },
  mode: { enum: ["slow", "fast"] },
  deep: { type: "object", properties: { a: { enum: ["slow"] } }, additionalProperties: false },
});

it.each<[unknown, string]>([
  [5, "options: expected an object, got 5"],
  [{ sise: 1 }, "options: unknown member sise; did you mean size?"],
  [{ zzz: 1 }, "options: unknown member zzz; use one of size, mode, deep"],
  [{ size: "1" }, 'options: invalid size: expected a number, got "1"'],
  [{ mode: "slwo" }, 'options: invalid mode: expected "slow" or "fast", got "slwo"; did you mean "slow"?'],
  [{ mode: "zzz" }, 'options: invalid mode: expected "slow" or "fast", got "zzz"'],
  [{ mode: 5 }, 'options: invalid mode: expected "slow" or "fast", got 5'],
  [{ deep: { b: 1 } }, "options: invalid deep.b: expected no such member, got 1"],
  [{ deep: { a: "slwo" } }, 'options: invalid deep.a: expected "slow", got "slwo"'],
])("%j is refused", (value, message) => {
  expect(() => check(value as Options)).toThrow(TypeError);
  expect(() => check(value as Options)).toThrow(message);
});

it.each<Options>([{}, { size: 1, mode: "fast", deep: { a: "slow" } }])("%j is accepted", (value) => {
  expect(() => check(value)).not.toThrow();
});

it("advice is the nearest word, or all of them", () => {
  expect(advice("lst", ["list", "show"])).toBe("did you mean list?");
  expect(advice("zzzz", ["list", "show"])).toBe("use one of list, show");
});
