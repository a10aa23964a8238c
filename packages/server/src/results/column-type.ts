import {
  type DuckDBArrayType,
  type DuckDBListType,
  type DuckDBMapType,
  type DuckDBStructType,
  type DuckDBType,
  DuckDBTypeId as Id,
} from "@duckdb/node-api";
import type { ColumnKind } from "@quern/query-run/record";
import { quotedName } from "../duckdb/quoting.ts";

const kinds: Readonly<Partial<Record<Id, ColumnKind>>> = {
  [Id.BOOLEAN]: "boolean",
  [Id.TINYINT]: "number",
  [Id.SMALLINT]: "number",
  [Id.INTEGER]: "number",
  [Id.BIGINT]: "number",
  [Id.UTINYINT]: "number",
  [Id.USMALLINT]: "number",
  [Id.UINTEGER]: "number",
  [Id.UBIGINT]: "number",
  [Id.HUGEINT]: "number",
  [Id.UHUGEINT]: "number",
  [Id.BIGNUM]: "number",
  [Id.FLOAT]: "number",
  [Id.DOUBLE]: "number",
  [Id.DECIMAL]: "number",
  [Id.DATE]: "date",
  [Id.TIMESTAMP]: "date",
  [Id.TIMESTAMP_S]: "date",
  [Id.TIMESTAMP_MS]: "date",
  [Id.TIMESTAMP_NS]: "date",
  [Id.TIMESTAMP_TZ]: "date",
  [Id.VARCHAR]: "string",
  [Id.ENUM]: "string",
  [Id.UUID]: "string",
  [Id.BLOB]: "string",
  [Id.BIT]: "string",
  [Id.TIME]: "string",
  [Id.TIME_TZ]: "string",
  [Id.TIME_NS]: "string",
  [Id.INTERVAL]: "string",
  [Id.LIST]: "array",
  [Id.ARRAY]: "array",
  [Id.STRUCT]: "object",
  [Id.MAP]: "object",
};

export function columnKind(type: DuckDBType): ColumnKind {
  if (isJson(type)) return "object";
  return kinds[type.typeId] ?? "unknown";
}

export function isJson(type: DuckDBType): boolean {
  return type.alias === "JSON";
}

/** The type in words that the engine reads back as the same type. */
export function engineTypeName(type: DuckDBType): string {
  return typeName(type, (leaf) => (isJson(leaf) ? "JSON" : String(leaf)));
}

/** What Parquet would round, shift or refuse; it is stored as text instead. */
const lossy: ReadonlySet<Id> = new Set([
  Id.HUGEINT,
  Id.UHUGEINT,
  Id.BIGNUM,
  Id.INTERVAL,
  Id.TIME_TZ,
  Id.TIME_NS,
  Id.BIT,
  Id.UNION,
  Id.VARIANT,
]);

/** The type in which a column is stored so that no digit is lost; equal to the engine's type for most. */
export function storedTypeName(type: DuckDBType): string {
  return typeName(type, (leaf) => (lossy.has(leaf.typeId) ? "VARCHAR" : String(leaf)));
}

function typeName(type: DuckDBType, leafName: (leaf: DuckDBType) => string): string {
  const nameOf = (inner: DuckDBType): string => typeName(inner, leafName);
  // The cases are told apart by typeId, which is what makes each narrowing true.
  switch (type.typeId) {
    case Id.LIST:
      return `${nameOf((type as DuckDBListType).valueType)}[]`;
    case Id.ARRAY: {
      const { valueType, length } = type as DuckDBArrayType;
      return `${nameOf(valueType)}[${length}]`;
    }
    case Id.MAP: {
      const { keyType, valueType } = type as DuckDBMapType;
      return `MAP(${nameOf(keyType)}, ${nameOf(valueType)})`;
    }
    case Id.STRUCT: {
      const { entryNames, entryTypes } = type as DuckDBStructType;
      return `STRUCT(${entryTypes.map((entry, index) => `${memberName(entryNames[index], index)} ${nameOf(entry)}`).join(", ")})`;
    }
    default:
      return leafName(type);
  }
}

/** Members of a row value such as `(1, 'a')` have no names, which no type can be written with: they are f1, f2, … */
function memberName(name: string | undefined, index: number): string {
  return quotedName(name || `f${index + 1}`);
}

/** Whether the values of a column, or those in its lists, are stored as text, and so are turned back to be compared as what they are. */
export function isStoredAsText(engineType: string): boolean {
  return /^(?:U?HUGEINT|BIGNUM|INTERVAL|TIME WITH TIME ZONE|TIME_NS|BIT|ENUM\(.*\))(?:\[\d*\])*$/s.test(engineType);
}
