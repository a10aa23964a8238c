import type { Parameters } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { allSlices } from "../../../adapter/test/all-slices.ts";
import { boundStatement as slicedStatement } from "../../src/dialect/parameters.ts";

const boundStatement = (sql: string, parameters: Parameters | null) => allSlices(slicedStatement(sql, parameters));

it.each([
  [null, "SELECT 'a'"],
  [[], "SELECT 'a'"],
  [{}, "SELECT 'a'"],
  [[1, -5, 9007199254740991], "EXECUTE IMMEDIATE 'SELECT ''a''' USING 1, -5, 9007199254740991"],
  [[1.5, 1e300, 2 ** 60, -0.1], "EXECUTE IMMEDIATE 'SELECT ''a''' USING 1.5E+0, 1E+300, 1.152921504606847E+18, -1E-1"],
  [
    ["9007199254740993", "9223372036854775808", "-12345678901234567.89"].map((exactNumber) => ({ exactNumber })),
    "EXECUTE IMMEDIATE 'SELECT ''a''' USING 9007199254740993, DECIMAL '9223372036854775808', DECIMAL '-12345678901234567.89'",
  ],
  [[{ exactNumber: "-0.0" }, { exactNumber: "-0" }], "EXECUTE IMMEDIATE 'SELECT ''a''' USING -0E0, -0E0"],
  [["it's", "\\', x", "a\nb", "--"], "EXECUTE IMMEDIATE 'SELECT ''a''' USING 'it''s', '\\'', x', 'a\nb', '--'"],
  [[true, null], "EXECUTE IMMEDIATE 'SELECT ''a''' USING true, NULL"],
])("writes %j as literals", (parameters, expected) => {
  expect(boundStatement("SELECT 'a'", parameters)).toBe(expected);
});

it.each([
  ["SELECT $2, $1, $2", [1, "a"], "SELECT ?, ?, ?", "'a', 1, 'a'"],
  ["SELECT $least + $_b2 -- $no", { least: 1, _b2: null }, "SELECT ? + ? -- $no", "1, NULL"],
  ["SELECT '$1', \"a$1\", $1", [true], "SELECT ''$1'', \"a$1\", ?", "true"],
  ["SELECT CAST($1 AS TIMESTAMP)", ["2026-01-02"], "SELECT CAST(? AS TIMESTAMP)", "'2026-01-02'"],
])("writes ? for the parameters of %s", (sql, parameters, text, values) => {
  expect(boundStatement(sql, parameters)).toBe(`EXECUTE IMMEDIATE '${text}' USING ${values}`);
});

it.each([
  ["SELECT $a, $b, $a", { b: 1 }, "no value for $a."],
  ["SELECT $1, $3", [1, 2], "no value for $3."],
  ["SELECT $2", null, "no value for $2."],
  ["SELECT $a", { a: 1, c: 2 }, "the statement has no parameter $c."],
  ["SELECT ?", { a: 1 }, "the statement has no parameter $a."],
])("refuses values that do not match the parameters of %s", (sql, parameters, reason) => {
  expect(() => boundStatement(sql, parameters)).toThrow(`Invalid parameters: ${reason}`);
});

it("leaves the $ of a row pattern as it is", () => {
  const sql = "SELECT * FROM t MATCH_RECOGNIZE (PATTERN (^ a+ $ b) DEFINE a AS x > ?)";
  expect(boundStatement(sql, [1])).toBe(`EXECUTE IMMEDIATE '${sql}' USING 1`);
});

it("refuses a statement that its values make longer than 10,000,000 characters, before it writes them", () => {
  const sql = `SELECT ${"$1, ".repeat(60_000)}$1`;
  expect(boundStatement(sql, ["x".repeat(100)])).toHaveLength(6_420_137);
  expect(() => boundStatement(sql, ["x".repeat(1_000_000)])).toThrow("more than 10000000 characters");
  expect(() => boundStatement("SELECT ?", Array(1_000_000).fill(1))).toThrow("has not 1000000 parameters");
});

it("names ten of the parameters without a value", () => {
  const sql = `SELECT ${Array.from({ length: 50_000 }, (_, index) => `$${index + 1}`)}`;
  const listed = "$1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 49990 more";
  expect(() => boundStatement(sql, [])).toThrow(`Invalid parameters: no value for ${listed}.`);
});
