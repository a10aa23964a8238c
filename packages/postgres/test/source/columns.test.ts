import { expect, it } from "vitest";
import { sourceColumn } from "../../src/source/columns.ts";

const base = { name: "t", mod: -1, form: "b", isArray: false };
/** Modifier of numeric(precision, scale), as PostgreSQL computes it. */
const modifier = (precision: number, scale: number): number => ((precision << 16) | (scale & 0x7ff)) + 4;

it.each([
  [16, "boolean", "BOOLEAN", "c"],
  [20, "number", "BIGINT", "c"],
  [21, "number", "SMALLINT", "c"],
  [23, "number", "INTEGER", "c"],
  [26, "number", "UINTEGER", "c"],
  [700, "number", "FLOAT", "c"],
  [701, "number", "DOUBLE", "c"],
  [1083, "string", "TIME", "c"],
  [1266, "string", "TIME WITH TIME ZONE", "c"],
  [1186, "string", "INTERVAL", "replace(c::text, '+', '')"],
  [114, "object", "JSON", "c"],
  [3802, "object", "JSON", "c"],
  [2950, "string", "UUID", "c"],
  [17, "string", "BLOB", "translate(encode(c, 'base64'), E'\\n', '')"],
  [25, "string", "VARCHAR", "c"],
  [1700, "string", "VARCHAR", "c"],
  [2249, "object", "JSON", "to_json(c)"],
])("stores the type %i as %s %s", (oid, kind, storedType, selected) => {
  const { selected: select, ...column } = sourceColumn("a", { ...base, oid });
  expect(column).toEqual({ name: "a", engineType: "t", kind, storedType });
  expect(select("c")).toBe(selected);
});

it.each([
  [1082, "DATE"],
  [1114, "TIMESTAMP"],
  [1184, "TIMESTAMP WITH TIME ZONE"],
])("writes the year before 1 of the type %i behind its date", (oid, storedType) => {
  const { selected, ...column } = sourceColumn("a", { ...base, oid });
  expect(column).toMatchObject({ kind: "date", storedType });
  expect(selected("c")).toBe(
    "CASE WHEN isfinite(c) AND c < '0001-01-01' THEN regexp_replace(c::text, '^(\\S+)(.*) BC$', '\\1 (BC)\\2') ELSE c::text END",
  );
});

it.each([
  [10, 2, "number", "DECIMAL(10,2)"],
  [1, 0, "number", "DECIMAL(1,0)"],
  [38, 38, "number", "DECIMAL(38,38)"],
  [38, 0, "number", "DECIMAL(38,0)"],
  [39, 0, "string", "VARCHAR"],
  [5, 6, "string", "VARCHAR"],
  [5, -1, "string", "VARCHAR"],
  [1000, 2, "string", "VARCHAR"],
])("stores numeric(%i,%i) as %s %s", (precision, scale, kind, storedType) => {
  const column = sourceColumn("a", { ...base, oid: 1700, mod: modifier(precision, scale) });
  expect(column).toMatchObject({ kind, storedType });
  expect(column.selected("c")).toBe("c");
});

it("stores arrays and composite types as JSON", () => {
  const array = sourceColumn("a", { ...base, oid: 1016, isArray: true });
  expect(array).toMatchObject({ kind: "array", storedType: "JSON[]" });
  expect(array.selected("c")).toContain("json_array_elements(to_json(c))");
  const composite = sourceColumn("a", { ...base, oid: 90_000, form: "c" });
  expect(composite).toMatchObject({ kind: "object", storedType: "JSON" });
  expect(composite.selected("c")).toBe("to_json(c)");
});
