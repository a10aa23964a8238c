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
import { strictJson } from "./strict-json.ts";

/** Representation of an engine type in results. */
interface TypeForm {
  /** Kind of the values on a result page. */
  readonly kind: ColumnKind;
  /** Type in Parquet that keeps every digit. @default the engine's own type */
  readonly stored?: string;
  /**
   * Type in Parquet that readers can calculate with. If a value of the result does not fit, the whole result is written
   * again with {@link TypeForm.stored}.
   */
  readonly number?: string;
}

/**
 * Integer of more than 64 bits. Readers can add up a DECIMAL, but not text. The engine itself would write a HUGEINT
 * as DOUBLE, which loses digits.
 */
const wideInteger: TypeForm = { kind: "number", stored: "VARCHAR", number: "DECIMAL(38,0)" };
const text: TypeForm = { kind: "string", stored: "VARCHAR" };
const json: TypeForm = { kind: "object", stored: "JSON" };

/** Kind and stored form of each engine type. A type that is missing here has the kind `unknown`. */
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
  // Parquet has no timestamps in seconds, and the engine reads timestamps in milliseconds back as microseconds.
  [Id.TIMESTAMP_S]: { kind: "date", stored: "TIMESTAMP" },
  [Id.TIMESTAMP_MS]: { kind: "date", stored: "TIMESTAMP" },
  [Id.TIMESTAMP_NS]: { kind: "date" },
  [Id.TIMESTAMP_TZ]: { kind: "date" },
  [Id.TIME]: { kind: "string" },
  [Id.TIME_TZ]: text, // Parquet would convert it to UTC and lose its offset
  [Id.TIME_NS]: text, // the engine writes it as text
  [Id.INTERVAL]: text, // the Parquet type has milliseconds only, and some readers refuse files with it
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
  [Id.UNION]: json, // an object with the tag, which would be missing in text
  [Id.VARIANT]: json,
};

/** Returns the kind of a type's values on result pages. */
export function columnKind(type: DuckDBType): ColumnKind {
  if (isJson(type)) return "object";
  return forms[type.typeId]?.kind ?? "unknown";
}

export function isJson(type: DuckDBType): boolean {
  return type.alias === "JSON";
}

/** Returns the SQL name of a type, which the engine reads back as the same type. */
export function engineTypeName(type: DuckDBType): string {
  return typeName(type, (leaf) => (isJson(leaf) ? "JSON" : String(leaf)));
}

/** Storage of integers of more than 64 bits: numbers of up to 38 digits, or text of any length. */
export type WideIntegers = "number" | "text";

/** Stored type of wide integers as numbers. If a value does not fit, the engine's error has this name in it. */
export const widestNumber = "DECIMAL(38,0)";

/** Returns SQL for a column in its stored form. */
export function storedCell(type: DuckDBType, cell: string, wideIntegers: WideIntegers): string {
  const asText = typeName(type, (leaf) => storedName(leaf, "text"));
  if (asText === String(type) || isJson(type)) return strictCell(type, cell);
  // A cast to JSON turns a VARIANT that is NULL into the JSON text null.
  if (type.typeId === Id.VARIANT) return strictJson(`nullif(CAST(CAST(${cell} AS JSON) AS VARCHAR), 'null')`);
  // In the form that keeps every digit, a wide integer is text.
  const written = `CAST(${/\bUNION\(/.test(String(type)) ? `CAST(${cell} AS ${widenedName(type)})` : cell} AS ${asText})`;
  const asNumber = typeName(type, (leaf) => storedName(leaf, "number"));
  // The cast goes through text, because the engine has no cast from BIGNUM to DECIMAL.
  const typed = wideIntegers === "text" || asNumber === asText ? written : `CAST(${written} AS ${asNumber})`;
  return strictCell(type, typed);
}

/**
 * Returns SQL for a stored value whose JSON is that of the standard. The engine accepts and writes NaN, Infinity, .5 and
 * [1,], which other readers and JavaScript refuse.
 * @param depth number of lambda functions around it
 */
function strictCell(type: DuckDBType, cell: string, depth = 0): string {
  const stored = typeName(type, (leaf) => storedName(leaf, "text"));
  if (!/\bJSON\b/.test(stored)) return cell;
  const item = `s${depth}`;
  // `typeId` determines the class, so each `as` is correct.
  switch (type.typeId) {
    case Id.LIST:
    case Id.ARRAY: {
      const { valueType } = type as DuckDBListType | DuckDBArrayType;
      return `CAST(list_transform(${cell}, lambda ${item}: ${strictCell(valueType, item, depth + 1)}) AS ${stored})`;
    }
    case Id.STRUCT: {
      const { entryNames, entryTypes } = type as DuckDBStructType;
      const packed = (struct: string, inner: number): string => {
        const members = entryTypes.map((entry, index) => {
          const member = strictCell(entry, `struct_extract_at(${struct}, ${index + 1})`, inner);
          return `${memberName(entryNames[index], index)} := ${member}`;
        });
        return `struct_pack(${members.join(", ")})`;
      };
      // The engine has no CASE for values with arrays of a fixed length.
      return /\[\d+\]/.test(stored)
        ? `list_transform(list_filter([${cell}], lambda ${item}: ${item} IS NOT NULL), lambda ${item}: ${packed(item, depth + 1)})[1]`
        : `CASE WHEN ${cell} IS NOT NULL THEN ${packed(cell, depth)} END`;
    }
    case Id.MAP: {
      const value = strictCell((type as DuckDBMapType).valueType, `${item}.value`, depth + 1);
      const entry = `struct_pack(k := ${item}.key, v := ${value})`;
      return `map_from_entries(list_transform(map_entries(${cell}), lambda ${item}: ${entry}))`;
    }
    default:
      return strictJson(cell);
  }
}

/**
 * Returns a UNION type with its decimals widened. The engine writes a narrow decimal 1.10 as 1.1 in JSON, but a wide
 * one as 1.10.
 */
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
 * Returns SQL for a stored column in the form from which result pages are written. A FLOAT is selected as text of the
 * engine, because JavaScript would write it with the digits of a double. The text may have more digits than are needed
 * to identify a 32-bit number.
 */
export function pageCell(type: DuckDBType, cell: string): string {
  const name = typeName(type, (leaf) => (leaf.typeId === Id.FLOAT ? "VARCHAR" : storedName(leaf, "text")));
  return name === typeName(type, (leaf) => storedName(leaf, "text")) ? cell : `CAST(${cell} AS ${name})`;
}

function typeName(type: DuckDBType, leafName: (leaf: DuckDBType) => string): string {
  const nameOf = (inner: DuckDBType): string => typeName(inner, leafName);
  // `typeId` determines the class, so each `as` is correct.
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

/** Returns the name of a struct's member. Members of a row such as `(1, 'a')` have none, and are named f1, f2, … */
function memberName(name: string | undefined, index: number): string {
  return quotedName(name || `f${index + 1}`);
}

/**
 * Returns SQL for a stored column, or for a value that it is compared with, in the type in which the engine compares
 * and sorts them. A UHUGEINT is compared as BIGNUM, because the engine compares it with a signed integer as HUGEINT,
 * which may be too small. The cast goes through text, because the engine has no cast from DECIMAL to BIGNUM.
 */
export function comparedCell(stored: string, cell: string): string {
  const [, base = "", lists] =
    /^(U?HUGEINT|BIGNUM|INTERVAL|TIME WITH TIME ZONE|TIME_NS|BIT|ENUM\(.*\))((?:\[\d*\])*)$/s.exec(stored) ?? [];
  if (base === "") return cell;
  if (base === "UHUGEINT" || base === "BIGNUM") return `CAST(CAST(${cell} AS VARCHAR${lists}) AS BIGNUM${lists})`;
  return `CAST(${cell} AS ${stored})`;
}
