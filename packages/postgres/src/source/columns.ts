import type { EngineColumn } from "@quern/adapter";
import type { ColumnKind } from "@quern/query-run/record";
import type { CatalogType } from "./catalog-type.ts";
import { jsonOf } from "./nested-json.ts";

/** Column of a result, and the SQL that delivers its values. */
export interface SourceColumn extends EngineColumn {
  readonly kind: ColumnKind;
  /** Returns SQL for the text of a value in CSV. `cell` is the name of the column. */
  readonly selected: (cell: string) => string;
}

type Conversion = Pick<SourceColumn, "kind" | "storedType" | "selected">;

const asIs = (cell: string): string => cell;

/** Writes years before 1 as the Parquet writer reads them: `0044-03-15 (BC) 12:00:00`. */
const date = (cell: string): string =>
  `CASE WHEN isfinite(${cell}) AND ${cell} < '0001-01-01' THEN regexp_replace(${cell}::text, '^(\\S+)(.*) BC$', '\\1 (BC)\\2') ELSE ${cell}::text END`;

const types: ReadonlyMap<number, Conversion> = new Map(
  (
    [
      [16, "boolean", "BOOLEAN", asIs],
      [20, "number", "BIGINT", asIs],
      [21, "number", "SMALLINT", asIs],
      [23, "number", "INTEGER", asIs],
      [26, "number", "UINTEGER", asIs],
      [700, "number", "FLOAT", asIs],
      [701, "number", "DOUBLE", asIs],
      [1082, "date", "DATE", date],
      [1114, "date", "TIMESTAMP", date],
      [1184, "date", "TIMESTAMP WITH TIME ZONE", date],
      [1083, "string", "TIME", asIs],
      [1266, "string", "TIME WITH TIME ZONE", asIs],
      // The Parquet writer rejects plus signs in intervals; PostgreSQL writes one in `-1 days +02:00:00`.
      [1186, "string", "INTERVAL", (cell: string) => `replace(${cell}::text, '+', '')`],
      [114, "object", "JSON", asIs],
      [3802, "object", "JSON", asIs],
      [2950, "string", "UUID", asIs],
      // `encode` inserts line breaks, which are removed.
      [17, "string", "BLOB", (cell: string) => `translate(encode(${cell}, 'base64'), E'\\n', '')`],
    ] as const
  ).map(([oid, kind, storedType, selected]) => [oid, { kind, storedType, selected }]),
);

/**
 * Returns SQL for a JSON array of the JSON texts of the elements, which keeps the digits of numbers. The coalesce is for an
 * array without elements.
 */
const elements = (json: string): string => `CASE WHEN ${json} IS NOT NULL THEN coalesce((SELECT
  json_agg(nullif(e::text, 'null') ORDER BY n) FROM json_array_elements(${json}) WITH ORDINALITY AS t(e, n)), '[]') END`;

const numericOid = 1700;
const recordOid = 2249;

/**
 * Returns the conversion of a column. An array becomes a list of JSON values, because PostgreSQL does not declare its
 * depth. A `numeric` without a precision, or with a precision or scale that decimals of Parquet cannot have, becomes text,
 * which keeps its digits. Types without a conversion become text.
 */
export function sourceColumn(name: string, type: CatalogType): SourceColumn {
  return { name, engineType: type.name, ...conversionOf(type) };
}

function conversionOf(type: CatalogType): Conversion {
  const { oid, mod, form, isArray } = type;
  if (isArray) return { kind: "array", storedType: "JSON[]", selected: (cell) => elements(jsonOf(type, cell)) };
  if (form === "c" || oid === recordOid)
    return { kind: "object", storedType: "JSON", selected: (cell) => jsonOf(type, cell) };
  if (oid === numericOid && mod >= 0) {
    const precision = ((mod - 4) >> 16) & 0xffff;
    // The scale has 11 bits and a sign.
    const scale = (((mod - 4) & 0x7ff) ^ 0x400) - 0x400;
    if (precision <= 38 && scale >= 0 && scale <= precision)
      return { kind: "number", storedType: `DECIMAL(${precision},${scale})`, selected: asIs };
  }
  return types.get(oid) ?? { kind: "string", storedType: "VARCHAR", selected: asIs };
}
