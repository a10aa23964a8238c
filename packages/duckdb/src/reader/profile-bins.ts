import { type DuckDBConnection, type DuckDBType, type DuckDBValue, DuckDBTypeId as Id } from "@duckdb/node-api";
import { binEdges, numberEdges } from "@quern/query-run/column-profile";
import type { ColumnForm } from "./column-form.ts";

/** Kind of the points of a histogram; columns of other kinds have none. */
type PointKind = ColumnForm["kind"];

/** Lower bound of a bin. Integers, days and microseconds are exact. */
export type Edge = bigint | number;

const epoch = "DATE '1970-01-01'";

/** Returns SQL of a number as a double, with the digits that a page shows. */
export function doubleOf(type: DuckDBType, value: string): string {
  // The digits of a FLOAT are those of its text, and the engine has no cast from BIGNUM to DOUBLE.
  const viaText = type.typeId !== Id.DECIMAL && type.typeId !== Id.DOUBLE;
  return viaText ? `CAST(CAST(${value} AS VARCHAR) AS DOUBLE)` : `CAST(${value} AS DOUBLE)`;
}

/** Returns SQL of the number by which a value is put into a bin; NULL for a value without one, such as NaN. */
export function pointOf(type: DuckDBType, kind: PointKind, value = "v"): string {
  switch (kind) {
    case "integer":
      return value;
    case "number": {
      const double = doubleOf(type, value);
      return `CASE WHEN isfinite(${double}) THEN ${double} END`;
    }
    case "day":
      return `CASE WHEN isfinite(${value}) THEN datediff('day', ${epoch}, ${value}) END`;
    case "time": {
      const time = type.typeId === Id.TIMESTAMP_TZ ? value : `CAST(${value} AS TIMESTAMP)`;
      return `CASE WHEN isfinite(${time}) THEN epoch_us(${time}) END`;
    }
    default:
      return "NULL";
  }
}

/** Returns the lower bounds of bins of the same width from the lowest to the highest point; none without points. */
export function edgesOf(
  lowest: DuckDBValue,
  highest: DuckDBValue,
  kind: PointKind,
  maxCount?: number,
): readonly Edge[] {
  if (lowest === null || highest === null) return [];
  if (kind === "number") return numberEdges(Number(lowest), Number(highest), maxCount);
  return binEdges(BigInt(String(lowest)), BigInt(String(highest)), maxCount);
}

/** Counts the points of each bin. */
export async function countedBins(
  edges: readonly Edge[],
  point: string,
  read: (write: (values: string) => string) => Promise<readonly (readonly DuckDBValue[])[]>,
): Promise<readonly number[]> {
  const literal = (edge: Edge) => (typeof edge === "bigint" ? String(edge) : `CAST('${edge}' AS DOUBLE)`);
  const passed = edges.slice(1).map((edge) => `CAST(p >= ${literal(edge)} AS INTEGER)`);
  const bin = passed.join(" + ") || "0";
  const rows = await read(
    (values) => `SELECT bin, count(*) FROM (SELECT ${bin} AS bin FROM (SELECT ${point} AS p FROM ${values})
      WHERE p IS NOT NULL) GROUP BY bin`,
  );
  const counts = new Map(rows.map(([at, count]) => [Number(at), Number(count)]));
  return edges.map((_, at) => counts.get(at) ?? 0);
}

/** Returns the bounds of bins as JSON, as pages show values of the column. @param edges in ascending order */
export async function edgeTexts(
  connection: DuckDBConnection,
  edges: readonly DuckDBValue[],
  kind: PointKind,
): Promise<readonly string[]> {
  if (kind === "number") return edges.map((edge) => JSON.stringify(Number(edge)));
  const integers = edges.map((edge) => BigInt(String(edge)));
  if (kind === "integer")
    return integers.map((edge) => (Number.isSafeInteger(Number(edge)) ? String(edge) : `"${edge}"`));
  const time =
    kind === "day"
      ? `quern_json_date(CAST(${epoch} + CAST(edge AS INTEGER) AS DATE))`
      : "quern_json_timestamp(make_timestamp(CAST(edge AS BIGINT)))";
  const rows = await connection.runAndReadAll(
    `SELECT ${time} FROM (SELECT unnest([${integers.join(", ")}]) AS edge) ORDER BY edge`,
  );
  return rows.getRows().map(([text]) => String(text));
}
