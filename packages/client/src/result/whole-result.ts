import type { ColumnType } from "@quern/protocol/types";
import type { QueryResult } from "./query-result.ts";
import {
  checkSize,
  keysOfPage,
  objectReader,
  type ReadOptions,
  type RowOptions,
  rowKeysOf,
  type UntypedRow,
} from "./row.ts";
import { rowsOf } from "./rows.ts";

/** Run whose result the rows belong to. */
export interface ResultOrigin {
  readonly queryRunId: string;
  /** End of the run, as ISO 8601; null if the service does not report it. */
  readonly asOf: string | null;
}

/** All rows of a result. Plain data: it can be serialized as JSON. */
export interface WholeResult<Row = UntypedRow> extends ResultOrigin {
  /** Names of the columns as in the statement; a name may repeat. */
  readonly columnNames: readonly string[];
  /** Keys of the rows, in the order of `columnNames`; a repeated name gets a suffix (`_2`, `_3`). */
  readonly rowKeys: readonly string[];
  /** One of `string number date object array boolean unknown` for each column. */
  readonly columnTypes: readonly ColumnType[];
  readonly rows: readonly Row[];
}

/** `maxRows` is 1,000,000 by default. */
export interface WholeResultOptions<Row = UntypedRow> extends RowOptions<Row>, ReadOptions {}

/**
 * Reads all rows of a result into memory.
 * @throws {QuernError} as `rowsOf` does; `protocol` if there are more rows than `maxRows`.
 */
export async function wholeResultOf<Row = UntypedRow>(
  result: QueryResult,
  { maxRows = 1_000_000, ...options }: WholeResultOptions<Row> = {},
): Promise<WholeResult<Row>> {
  const { queryRunId, queryRun, columnNames, columnTypes } = result;
  const rows: Row[] = [];
  for await (const row of rowsOf<Row>(result, { ...options, maxRows })) rows.push(row);
  return { queryRunId, asOf: queryRun.endedAt ?? null, columnNames, rowKeys: rowKeysOf(result), columnTypes, rows };
}

/**
 * Returns the values of a result by column, e.g. for charts: a map from each row key to the values of that column, one
 * for each row.
 * @throws {QuernError} any kind but `failed` and `canceled`; `protocol` if there are more rows than `maxRows`.
 */
export async function columnsOf(
  { first, pages, queryRunId }: Pick<QueryResult, "first" | "pages"> & Partial<Pick<QueryResult, "queryRunId">>,
  { maxRows, ...deadline }: ReadOptions = {},
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const keys = keysOfPage(first);
  const columns = new Map<string, unknown[]>(keys.map((key) => [key, []]));
  const objectOf = objectReader(keys);
  for await (const page of pages(deadline)) {
    checkSize(page, maxRows, queryRunId);
    for (const row of page.rows.map(objectOf)) for (const [key, values] of columns) values.push(row[key]);
  }
  return columns;
}
