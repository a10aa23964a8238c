import { DuckDBTypeId as Id } from "@duckdb/node-api";
import { maxTextLength } from "@quern/query-run/column-profile";
import type { ResultColumn } from "@quern/query-run/record";
import { comparedCell } from "../engine/column-type.ts";
import { storedType, storedTypeName } from "../engine/stored-type.ts";
import { isStoredAsJson, jsonCell, textCell } from "./json-cell.ts";

/** Treatment of a column by its type. */
export interface ColumnForm {
  /** SQL of the value that is compared and counted. */
  readonly value: string;
  /** Returns SQL of the JSON of a value. */
  readonly json: (value: string) => string;
  /** Numbers and times have a mean or bins; the values of ordered columns have a minimum and a maximum. */
  readonly kind: "integer" | "number" | "day" | "time" | "text" | "unordered";
}

/** Returns the treatment of a column. @param cell SQL of its stored values */
export function formOf(column: ResultColumn, cell: string): ColumnForm {
  const type = storedType(column);
  const stored = storedTypeName(column);
  const text = (value: string): string => `CAST(to_json(left(${value}, ${maxTextLength})) AS VARCHAR)`;
  const unordered: ColumnForm = { value: textCell(type, cell), json: text, kind: "unordered" };
  if (isStoredAsJson(type)) return unordered;
  const form = (kind: ColumnForm["kind"]): ColumnForm => ({
    value: comparedCell(stored, cell),
    json: (value) => jsonCell(type, value) ?? "NULL",
    kind,
  });
  switch (type.typeId) {
    case Id.TINYINT:
    case Id.SMALLINT:
    case Id.INTEGER:
    case Id.BIGINT:
    case Id.UTINYINT:
    case Id.USMALLINT:
    case Id.UINTEGER:
    case Id.UBIGINT:
      return form("integer");
    case Id.HUGEINT:
    case Id.UHUGEINT:
    case Id.BIGNUM:
    case Id.DECIMAL:
    case Id.FLOAT:
    case Id.DOUBLE:
      return form("number");
    case Id.DATE:
      return form("day");
    case Id.TIMESTAMP:
    case Id.TIMESTAMP_S:
    case Id.TIMESTAMP_MS:
    case Id.TIMESTAMP_NS:
    case Id.TIMESTAMP_TZ:
      return form("time");
    case Id.BOOLEAN:
      return form("unordered");
    case Id.VARCHAR:
    case Id.ENUM:
    case Id.UUID:
    case Id.TIME:
      return { value: comparedCell(stored, cell), json: (value) => text(`CAST(${value} AS VARCHAR)`), kind: "text" };
    default:
      return unordered;
  }
}
