import { expect, it } from "vitest";
import { boundValue } from "../../src/sql/sql-value.ts";

it.each<[unknown, object]>([
  [null, { value: null }],
  ["", { value: "" }],
  [false, { value: false }],
  [0, { value: 0 }],
  [-1.5e300, { value: -1.5e300 }],
  [2n ** 53n - 1n, { value: 9_007_199_254_740_991 }],
  [2n ** 53n, { value: "9007199254740992", type: "BIGINT" }],
  [2n ** 63n - 1n, { value: "9223372036854775807", type: "BIGINT" }],
  [-(2n ** 63n), { value: "-9223372036854775808", type: "BIGINT" }],
  [2n ** 63n, { value: "9223372036854775808", type: "HUGEINT" }],
  [2n ** 127n - 1n, { value: String(2n ** 127n - 1n), type: "HUGEINT" }],
  [new Date(0), { value: "1970-01-01 00:00:00.000", type: "TIMESTAMP" }],
  [new Date(Date.UTC(9_999, 11, 31)), { value: "9999-12-31 00:00:00.000", type: "TIMESTAMP" }],
])("%s is bound", (value, bound) => {
  expect(boundValue(value, "value 1")).toEqual(bound);
});

const plain = "pass a string, a number, a boolean, a date or null";

it.each<[unknown, string]>([
  [undefined, "undefined is not supported: value 1; pass null for NULL"],
  [Number.NaN, 'NaN is not supported: value 1; pass "NaN" and cast it: CAST(… AS DOUBLE)'],
  [Number.NEGATIVE_INFINITY, '-Infinity is not supported: value 1; pass "-Infinity" and cast it: CAST(… AS DOUBLE)'],
  [2n ** 127n, "integers beyond 128 bits are not supported: value 1; pass the integer as text"],
  [
    new Date(Number.NaN),
    "dates that are invalid or beyond the years 0 to 9999 are not supported: value 1; pass a valid date, or text",
  ],
  [
    new Date(Date.UTC(10_000, 0)),
    "dates that are invalid or beyond the years 0 to 9999 are not supported: value 1; pass a valid date, or text",
  ],
  [[1], "arrays are not supported: value 1; use list([…]) after IN, or a value for each element"],
  [new Uint8Array(1), "bytes (Uint8Array) are not supported: value 1; pass base64 text to from_base64(…)"],
  [new ArrayBuffer(1), "bytes (ArrayBuffer) are not supported: value 1; pass base64 text to from_base64(…)"],
  [
    { [Symbol.toStringTag]: "Temporal.Instant" },
    "Temporal.Instant is not supported: value 1; pass String(value) and cast it to its SQL type, e.g. CAST(… AS TIMESTAMP)",
  ],
  [Promise.resolve(1), "promises are not supported: value 1; await the value first"],
  [{ a: 1 }, "objects are not supported: value 1; pass JSON.stringify(value)"],
  [new Map(), `objects (Map) are not supported: value 1; ${plain}`],
  [() => 1, `functions are not supported: value 1; ${plain}`],
  [Symbol("a"), `symbols are not supported: value 1; ${plain}`],
])("%s is refused with advice", (value, message) => {
  expect(() => boundValue(value, "value 1")).toThrow(new TypeError(`sql: ${message}`));
});
