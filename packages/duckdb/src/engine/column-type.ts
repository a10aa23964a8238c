import {
  type DuckDBArrayType,
  type DuckDBDecimalType,
  type DuckDBListType,
  type DuckDBMapType,
  type DuckDBStructType,
  type DuckDBType,
  type DuckDBUnionType,
  DuckDBTypeId as Id,
} from "@duckdb/node-api";
import type { ColumnKind } from "@quern/query-run/record";
import { quotedName } from "./quoting.ts";

/** Forms of an engine type in results. */
interface TypeForm {
  /** Kind of the values on a page. */
  readonly kind: ColumnKind;
  /** Type in Parquet that keeps every digit; the engine's own type by default. */
  readonly stored?: string;
  /** Largest type in Parquet that readers calculate with; {@link TypeForm.stored} holds what does not fit. */
  readonly number?: string;
}

/** Integer of more than 64 bits. Readers add up a DECIMAL; text has no sum, and the engine's own DOUBLE loses digits. */
const wideInteger: TypeForm = { kind: "number", stored: "VARCHAR", number: "DECIMAL(38,0)" };
const text: TypeForm = { kind: "string", stored: "VARCHAR" };
const json: TypeForm = { kind: "object", stored: "JSON" };

/** Each type of the engine: the one place that maps a type to its kind and its stored form. */
const forms: Readonly<Partial<Record<Id, TypeForm>>> = {
  [Id.BOOLEAN]: { kind: "boolean" },
  [Id.TINYINT]: { kind: "number" },
  [Id.SMALLINT]: { kind: "number" },
  [Id.INTEGER]: { kind: "number" },
  [Id.BIGINT]: { kind: "number" },
  [Id.UTINYINT]: { kind: "number" },
  [Id.USMALLINT]: { kind: "number" },
  [Id.UINTEGER]: { kind: "number" },
  [Id.UBIGINT]: { kind: "number" },
  [Id.HUGEINT]: wideInteger,
  [Id.UHUGEINT]: wideInteger,
  [Id.BIGNUM]: wideInteger,
  [Id.FLOAT]: { kind: "number" },
  [Id.DOUBLE]: { kind: "number" },
  [Id.DECIMAL]: { kind: "number" },
  [Id.DATE]: { kind: "date" },
  [Id.TIMESTAMP]: { kind: "date" },
  // Parquet has no seconds, and the engine reads its milliseconds back as microseconds.
  [Id.TIMESTAMP_S]: { kind: "date", stored: "TIMESTAMP" },
  [Id.TIMESTAMP_MS]: { kind: "date", stored: "TIMESTAMP" },
  [Id.TIMESTAMP_NS]: { kind: "date" },
  [Id.TIMESTAMP_TZ]: { kind: "date" },
  [Id.TIME]: { kind: "string" },
  [Id.TIME_TZ]: text, // Parquet would shift it to UTC and lose its offset
  [Id.TIME_NS]: text, // the engine writes text by itself
  [Id.INTERVAL]: text, // Parquet has milliseconds, and some readers refuse a file that has the type
  [Id.VARCHAR]: { kind: "string" },
  [Id.ENUM]: { kind: "string" },
  [Id.UUID]: { kind: "string" },
  [Id.BLOB]: { kind: "string" },
  [Id.BIT]: text,
  [Id.GEOMETRY]: text, // WKT
  [Id.LIST]: { kind: "array" },
  [Id.ARRAY]: { kind: "array" },
  [Id.STRUCT]: { kind: "object" },
  [Id.MAP]: { kind: "object" },
  [Id.UNION]: json, // an object with the tag, which text would lose
  [Id.VARIANT]: json,
};

export function columnKind(type: DuckDBType): ColumnKind {
  if (isJson(type)) return "object";
  return forms[type.typeId]?.kind ?? "unknown";
}

export function isJson(type: DuckDBType): boolean {
  return type.alias === "JSON";
}

/** The type in words that the engine reads back as the same type. */
export function engineTypeName(type: DuckDBType): string {
  return typeName(type, (leaf) => (isJson(leaf) ? "JSON" : String(leaf)));
}

/** Storage of integers of more than 64 bits: as numbers of up to 38 digits, or as text of any length. */
export type WideIntegers = "number" | "text";

/** Stored type of wide integers. The error of the engine names it where a value does not fit. */
export const widestNumber = "DECIMAL(38,0)";

/** Selects the column in the form in which it is stored. */
export function storedCell(type: DuckDBType, cell: string, wideIntegers: WideIntegers): string {
  const asText = typeName(type, (leaf) => storedName(leaf, "text"));
  if (asText === String(type) || isJson(type)) return cell;
  // As JSON, a VARIANT that is NULL becomes the text null.
  if (type.typeId === Id.VARIANT) return `nullif(CAST(${cell} AS ${asText}), 'null')`;
  const written = `CAST(${/\bUNION\(/.test(String(type)) ? `CAST(${cell} AS ${widenedName(type)})` : cell} AS ${asText})`;
  const asNumber = typeName(type, (leaf) => storedName(leaf, "number"));
  // Through text, because the engine has no cast from BIGNUM to DECIMAL.
  return wideIntegers === "text" || asNumber === asText ? written : `CAST(${written} AS ${asNumber})`;
}

/** The type with the widest decimals, whose digits the engine keeps when it writes JSON; it writes a narrow 1.10 as 1.1. */
function widenedName(type: DuckDBType): string {
  return typeName(type, (leaf) => {
    if (leaf.typeId === Id.DECIMAL) return `DECIMAL(38,${(leaf as DuckDBDecimalType).scale})`;
    if (leaf.typeId !== Id.UNION) return isJson(leaf) ? "JSON" : String(leaf);
    const { memberTags, memberTypes } = leaf as DuckDBUnionType;
    return `UNION(${memberTypes.map((member, index) => `${quotedName(memberTags[index] ?? "")} ${widenedName(member)}`).join(", ")})`;
  });
}

function storedName(leaf: DuckDBType, wideIntegers: WideIntegers): string {
  const form = forms[leaf.typeId];
  const number = wideIntegers === "number" ? form?.number : undefined;
  return isJson(leaf) ? "JSON" : (number ?? form?.stored ?? String(leaf));
}

/**
 * Selects a stored column in the form that pages are written from. The engine itself writes the text of a FLOAT, whose
 * digits are not always the fewest that a 32-bit number needs.
 */
export function pageCell(type: DuckDBType, cell: string): string {
  const name = typeName(type, (leaf) => (leaf.typeId === Id.FLOAT ? "VARCHAR" : storedName(leaf, "text")));
  return name === typeName(type, (leaf) => storedName(leaf, "text")) ? cell : `CAST(${cell} AS ${name})`;
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

/**
 * FairSemaphore a stored column, or a value it is compared with, into the type that orders it; itself where it has that type.
 * UHUGEINT is compared as BIGNUM: the engine compares it with a signed integer as HUGEINT, which it may not fit. Through
 * text, because the engine has no cast from DECIMAL to BIGNUM.
 */
export function comparedCell(stored: string, cell: string): string {
  const [, base = "", lists] =
    /^(U?HUGEINT|BIGNUM|INTERVAL|TIME WITH TIME ZONE|TIME_NS|BIT|ENUM\(.*\))((?:\[\d*\])*)$/s.exec(stored) ?? [];
  if (base === "") return cell;
  if (base === "UHUGEINT" || base === "BIGNUM") return `CAST(CAST(${cell} AS VARCHAR${lists}) AS BIGNUM${lists})`;
  return `CAST(${cell} AS ${stored})`;
}
