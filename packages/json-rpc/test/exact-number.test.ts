import { expect, test } from "vitest";
import { encodeRequest } from "../src/call.ts";
import { ExactNumber, parseExactly } from "../src/exact-number.ts";

/** Numbers as Python, Go, Java, C# and JavaScript write them, and whether a double holds them. */
test.each([
  ["9007199254740991", true],
  ["9007199254740992", false],
  ["-9007199254740993", false],
  ["1152921504606846976", false],
  ["1e+22", true],
  ["1.7976931348623157e+308", true],
  ["5e-324", true],
  ["0.10000000000000001", true],
  ["5.684341886080802E-14", true],
  ["1234567890123456.5", true],
  ["12345678901234567.89", false],
  ["0.1234567890123456789", false],
  ["0.0000000000000000000", true],
  ["-0.0", false],
  ["-0", false],
  ["-0.5", true],
  ["1e309", false],
  ["1e-400", false],
  ["1234567890123456.7", false],
  ["0e999", true],
  [`0.${"0".repeat(100)}1`, false],
])("a double holds %s: %s", (text, isHeld) => {
  const value = parseExactly(`{"a":[${text}],"b":"${text}"}`);
  expect(value).toEqual({ a: [isHeld ? Number(text) : new ExactNumber(text)], b: text });
});

test("reading a long text takes linear time, also with zeros that are not at its end", () => {
  const text = `0.${"0".repeat(2_000_000)}1`;
  expect(parseExactly(text)).toEqual(new ExactNumber(text));
});

test("a request has the value of each number, or its text", () => {
  const values = [2 ** 60, 1e18, 1e20, 2 ** 70, Number.NaN, -Infinity, 0.1, -5];
  const text =
    '["1152921504606846976",1000000000000000000,100000000000000000000,1.1805916207174113e+21,"NaN","-Infinity",0.1,-5]';
  expect(encodeRequest(1, "m", values)).toBe(`{"jsonrpc":"2.0","method":"m","params":[${text}],"id":1}`);
});
