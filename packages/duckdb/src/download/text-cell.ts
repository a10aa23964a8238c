import type { ResultColumn } from "@quern/query-run/record";
import { storedType, storedTypeName } from "../engine/stored-type.ts";
import { jsonCell } from "../reader/json-cell.ts";

/**
 * SQL expression for each column. It returns the text of a value as result pages show it. The engine writes text many
 * times faster than JavaScript does.
 */
export type TextCells = readonly string[];

const yearText = (
  value: string,
): string => `CASE WHEN year(${value}) BETWEEN 0 AND 9999 THEN lpad(year(${value})::VARCHAR, 4, '0')
  ELSE (CASE WHEN year(${value}) < 0 THEN '-' ELSE '+' END) || format('{:06d}', abs(year(${value}))) END`;
/** Moves a time to the year 2000, a leap year, so that every month and day exists in it. */
const in2000 = (value: string): string => `${value} + to_years(CAST(2000 - year(${value}) AS INTEGER))`;

/**
 * Macros that write times and numbers of CSV as result pages do. In the macros for times, the first case is the common and
 * fast one; years without four digits have the expanded form of ISO 8601.
 */
export const macros = [
  `CREATE TEMP MACRO quern_second(t) AS CASE WHEN microsecond(t) % 1000 = 0 THEN strftime(t, '%H:%M:%S.%g')
     ELSE rtrim(strftime(t, '%H:%M:%S.%f'), '0') END`,
  `CREATE TEMP MACRO quern_timestamp(t) AS CASE
     WHEN t >= TIMESTAMP '0001-01-01' AND t < TIMESTAMP '10000-01-01' THEN
       CASE WHEN microsecond(t) % 1000 = 0 THEN strftime(t, '%Y-%m-%dT%H:%M:%S.%gZ')
         ELSE rtrim(strftime(t, '%Y-%m-%dT%H:%M:%S.%f'), '0') || 'Z' END
     WHEN NOT isfinite(t) THEN CAST(t AS VARCHAR)
     ELSE ${yearText("t")} || strftime(${in2000("t")}, '-%m-%dT') || quern_second(t) || 'Z' END`,
  `CREATE TEMP MACRO quern_date(d) AS CASE
     WHEN d >= DATE '0001-01-01' AND d < DATE '10000-01-01' OR NOT isfinite(d) THEN CAST(d AS VARCHAR)
     ELSE ${yearText("d")} || '-' || lpad(month(d)::VARCHAR, 2, '0') || '-' || lpad(day(d)::VARCHAR, 2, '0') END`,
  `CREATE TEMP MACRO quern_not_finite(n) AS CASE WHEN isnan(n) THEN 'NaN' WHEN n > 0 THEN 'Infinity'
     WHEN n < 0 THEN '-Infinity' END`,
];

const small = new Set(["BOOLEAN", "TINYINT", "SMALLINT", "INTEGER", "UTINYINT", "USMALLINT", "UINTEGER"]);
const large = new Set(["BIGINT", "UBIGINT", "HUGEINT", "UHUGEINT", "BIGNUM"]);
const texts = new Set([
  "VARCHAR",
  "ENUM",
  "UUID",
  "TIME",
  "TIME WITH TIME ZONE",
  "TIME_NS",
  "INTERVAL",
  "BIT",
  "GEOMETRY",
]);

/**
 * Returns SQL for the text of each column: a CSV field, or a JSON value by the SQL of result pages. Undefined if the
 * engine cannot write the values of a column as result pages show them.
 */
export function textCells(columns: readonly ResultColumn[], format: "csv" | "ndjson"): TextCells | undefined {
  const cells = columns.map((column, index) =>
    format === "csv" ? csvCell(storedTypeName(column), `c${index}`) : jsonCell(storedType(column), `c${index}`),
  );
  return cells.every((cell) => cell !== undefined) ? cells : undefined;
}

function csvCell(stored: string, cell: string): string | undefined {
  const base = baseOf(stored);
  const narrow = narrowType(base, stored);
  if (narrow !== undefined)
    return `coalesce(CAST(TRY_CAST(${cell} AS ${narrow}) AS VARCHAR), CAST(${cell} AS VARCHAR))`;
  // The engine writes no zero before the point if the type has no digits there.
  if (/^DECIMAL\((\d+), ?\1\)$/.test(stored)) return `replace(CAST(${cell} AS VARCHAR), '.', '0.')`;
  if (small.has(base) || large.has(base) || base === "DECIMAL") return cell;
  if (base === "DOUBLE" || base === "FLOAT")
    return `CASE WHEN isfinite(${cell}) THEN CAST(${cell} AS VARCHAR) ELSE quern_not_finite(${cell}) END`;
  return commonCell(base, cell);
}

/**
 * Returns a type of 64 bits in which most values of a wider number fit, with the same text. The engine needs four times
 * as long for the text of a number of 128 bits. A decimal of 18 digits after the point has another text: no leading zero.
 */
function narrowType(base: string, stored: string): string | undefined {
  if (base === "HUGEINT" || base === "UHUGEINT" || base === "BIGNUM") return "BIGINT";
  const [, width, scale] = /^DECIMAL\((\d+), ?(\d+)\)$/.exec(stored) ?? [];
  return Number(width) > 18 && Number(scale) < 18 ? `DECIMAL(18,${scale})` : undefined;
}

function commonCell(base: string, cell: string): string | undefined {
  if (texts.has(base)) return `CAST(${cell} AS VARCHAR)`;
  if (base === "BLOB") return `to_base64(${cell})`;
  if (base === "DATE") return `quern_date(${cell})`;
  // TIMESTAMP_NS is missing, because the cast would truncate nanoseconds.
  if (/^TIMESTAMP(_S|_MS)?$/.test(base)) return `quern_timestamp(CAST(${cell} AS TIMESTAMP))`;
  // The time zone of the connection is UTC. The cast is only for the infinities, because it refuses the last times.
  if (base === "TIMESTAMP WITH TIME ZONE")
    return `quern_timestamp(coalesce(make_timestamp(epoch_us(${cell})), CAST(${cell} AS TIMESTAMP)))`;
  return undefined;
}

/**
 * Returns a type without its arguments: `DECIMAL` for `DECIMAL(18,2)`. Lists keep their brackets, so they match no set
 * above.
 */
function baseOf(stored: string): string {
  return stored.endsWith("]") ? stored : stored.replace(/\(.*\)$/s, "");
}
