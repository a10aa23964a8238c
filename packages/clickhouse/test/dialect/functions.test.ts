import { expect, it } from "vitest";
import { isReadableTable, isRefusedFunction, isTableFunction } from "../../src/dialect/functions.ts";

it("tells functions that may do more than read, table functions that only read, and others apart", () => {
  const refused = ["file", "loop", "merge", "icebergs3cluster", "deltalake", "paimon", "mergetreeindex", "hostname"];
  expect(refused.filter((name) => !isRefusedFunction(name))).toEqual([]);
  const read = ["numbers", "generate_series", "values", "view"];
  expect(read.filter((name) => !isTableFunction(name) || isRefusedFunction(name))).toEqual([]);
  const others = ["xfile", "file ", "count", "icebergs", "mergetree", "mergetreepartinfo", "format", ""];
  expect(others.filter((name) => isRefusedFunction(name) || isTableFunction(name))).toEqual([]);
});

it("reads tables of ClickHouse itself that have no data of users, and all tables of other databases", () => {
  const readable = ["one", "numbers", "tables", "columns", "databases", "functions", "formats", "time_zones"];
  expect(readable.every((name) => isReadableTable("system", name))).toBe(true);
  expect(["", "users", "query_log", "processes"].some((name) => isReadableTable("system", name))).toBe(false);
  expect(["tables", "secrets"].map((name) => isReadableTable("information_schema", name))).toEqual([true, false]);
  expect(isReadableTable("shop", "processes")).toBe(true);
});
