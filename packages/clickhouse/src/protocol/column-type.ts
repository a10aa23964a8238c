import type { ColumnKind } from "@quern/query-run/record";
import { parseMember, parseTypeName } from "./type-name.ts";

/** Form in which the values of a type are shown and stored. */
export interface TypeForm {
  readonly kind: ColumnKind;
  /** Type in the notation of DuckDB. */
  readonly stored: string;
}

const text: TypeForm = { kind: "string", stored: "VARCHAR" };
const number = (stored: string): TypeForm => ({ kind: "number", stored });
const array = (stored: string): TypeForm => ({ kind: "array", stored: `${stored}[]` });

/** Forms of types without arguments. Other types, such as `Int256`, `IPv4`, `Time` or `Variant`, are stored as text. */
const forms: ReadonlyMap<string, TypeForm> = new Map([
  ["Bool", { kind: "boolean", stored: "BOOLEAN" }],
  ["Int8", number("TINYINT")],
  ["Int16", number("SMALLINT")],
  ["Int32", number("INTEGER")],
  ["Int64", number("BIGINT")],
  ["Int128", number("HUGEINT")],
  ["UInt8", number("UTINYINT")],
  ["UInt16", number("USMALLINT")],
  ["UInt32", number("UINTEGER")],
  ["UInt64", number("UBIGINT")],
  ["UInt128", number("UHUGEINT")],
  ["Float32", number("FLOAT")],
  ["Float64", number("DOUBLE")],
  ["BFloat16", number("FLOAT")],
  ["Date", { kind: "date", stored: "DATE" }],
  ["Date32", { kind: "date", stored: "DATE" }],
  ["DateTime", { kind: "date", stored: "TIMESTAMP WITH TIME ZONE" }],
  ["UUID", { kind: "string", stored: "UUID" }],
  ["JSON", { kind: "object", stored: "JSON" }],
]);

/** Geometric types, which are names for tuples and arrays. */
const geometries: ReadonlyMap<string, string> = new Map([
  ["Point", "Tuple(Float64, Float64)"],
  ["MultiPoint", "Array(Point)"],
  ["Ring", "Array(Point)"],
  ["LineString", "Array(Point)"],
  ["Polygon", "Array(Ring)"],
  ["MultiLineString", "Array(LineString)"],
  ["MultiPolygon", "Array(Polygon)"],
]);

/** Digits of a second that DuckDB's times have. Times with more digits are stored as text, which keeps them. */
const maxPrecision = 6;
/** Digits that DuckDB's decimals have. Decimals with more digits are stored as text. */
const maxDigits = 38;

/** Returns the form of a type, such as `LowCardinality(Nullable(String))`. */
export function formOf(typeName: string): TypeForm {
  const { base, arguments: args } = parseTypeName(typeName);
  const [first = "", second = ""] = args;
  switch (base) {
    case "Nullable":
    case "LowCardinality":
      return formOf(first);
    case "SimpleAggregateFunction":
      return formOf(second);
    case "Decimal":
      return Number(first) > maxDigits ? text : number(`DECIMAL(${Number(first)},${Number(second)})`);
    case "DateTime64":
      return Number(first) > maxPrecision ? text : { kind: "date", stored: "TIMESTAMP WITH TIME ZONE" };
    case "Array":
      return array(formOf(first).stored);
    case "Map":
      return { kind: "object", stored: `MAP(${keyTypeOf(first)}, ${formOf(second).stored})` };
    case "Tuple":
      return args.length === 0 ? text : { kind: "object", stored: structOf(args) };
    case "Nested":
      return array(structOf(args));
    default: {
      const geometry = geometries.get(base);
      return geometry === undefined ? (forms.get(base) ?? text) : formOf(geometry);
    }
  }
}

/** Returns true for a type whose values can be NULL. */
export function isNullable(typeName: string): boolean {
  return /^(?:LowCardinality\()?Nullable\(|^(?:Variant|Dynamic)\b/.test(typeName);
}

/** Returns the type of a map's keys. ClickHouse writes nested keys as text that is not JSON. */
function keyTypeOf(typeName: string): string {
  const { kind, stored } = formOf(typeName);
  return kind === "array" || kind === "object" ? text.stored : stored;
}

/** Names that differ only in case are equal in DuckDB, so such names are numbered. Members without names are `1`, `2`, … */
function structOf(members: readonly string[]): string {
  const taken = new Set<string>();
  const parts = members.map(parseMember).map(({ name = "", type }, index) => {
    let unique = name === "" ? String(index + 1) : name;
    while (taken.has(unique.toLowerCase())) unique = `${unique}_${index + 1}`;
    taken.add(unique.toLowerCase());
    return `"${unique.replaceAll('"', '""')}" ${formOf(type).stored}`;
  });
  return `STRUCT(${parts.join(", ")})`;
}
