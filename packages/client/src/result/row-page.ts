import type { ColumnType } from "@quern/protocol/types";
import type { Client } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";
import type { QueryResult } from "./query-result.ts";
import { type PageOptions, pageReader } from "./result-pages.ts";
import { keysOfPage, type RowOptions, rowParser, type UntypedRow } from "./row.ts";

/** Options of `readPage`. */
export interface ReadPageOptions<Row = UntypedRow> extends PageOptions<Row>, RowOptions<Row> {
  /**
   * First row to read, counted from 0.
   * @default 0
   */
  readonly offset?: number | undefined;
  /**
   * Number of the row to stop before. All rows up to it are read, in several requests if necessary.
   * @default the end of the page
   */
  readonly end?: number | undefined;
}

/** Consecutive rows of a result, as objects. Plain data: it can be serialized as JSON. */
export interface RowPage<Row = UntypedRow> {
  readonly queryRunId: string;
  /** Names of the columns as in the statement; a name may repeat. */
  readonly columnNames: readonly string[];
  /** Keys of the rows, in the order of `columnNames`; a repeated name gets a suffix (`_2`, `_3`). */
  readonly rowKeys: readonly string[];
  readonly columnTypes: readonly ColumnType[];
  /** Number of rows in all pages, after the filters; null if the service does not report it. */
  readonly rowCount: number | null;
  /** Number of the first row, from 0. */
  readonly offset: number;
  readonly rows: readonly Row[];
  /** Number of the first row of the next page; null on the last page. */
  readonly nextOffset: number | null;
}

/**
 * Fetches one page of a run that has succeeded. The page has `pageSize` rows, or fewer at the end of the result, if the
 * service refuses that size as too large or returns smaller pages, or if `offset` is not a multiple of it. With `end`
 * it has all rows before that row.
 * @throws {QuernError} of any kind but `failed` and `canceled`.
 * @see https://github.com/quern-dev/quern/blob/main/docs/reference/methods/get-query-run-results.md
 */
export function readPage<Row = UntypedRow>(
  client: Client,
  queryRunId: string,
  options: ReadPageOptions<Row> & DeadlineOptions = {},
): Promise<RowPage<Row>> {
  const { offset = 0, end } = options;
  return withDeadline(options, async (signal) => {
    const read = pageReader(client, queryRunId, options);
    let page = await read(offset, { signal });
    if (end !== undefined) {
      while (!page.isLast && offset + page.rows.length < end) {
        const { rows, isLast } = await read(offset + page.rows.length, { signal });
        page = { ...page, rows: [...page.rows, ...rows], isLast };
      }
      const rows = page.rows.slice(0, end - offset);
      page = { ...page, rows, isLast: page.isLast && rows.length === page.rows.length };
    }
    return rowPageOf({ first: page, queryRunId }, options);
  });
}

/**
 * Returns the first page of a result with its rows as objects. The page is part of the result, so no request is sent.
 * @throws {QuernError} `protocol` if a row does not match the schema.
 */
export async function rowPageOf<Row = UntypedRow>(
  { first, queryRunId }: Pick<QueryResult, "queryRunId" | "first">,
  { schema }: RowOptions<Row> = {},
): Promise<RowPage<Row>> {
  const { columnNames, columnTypes, rowCount, offset, isLast } = first;
  const rowOf = rowParser({ queryRunId, first }, schema);
  const rows = await Promise.all(first.rows.map((row, index) => rowOf(row, offset + index)));
  const nextOffset = isLast ? null : offset + rows.length;
  return { queryRunId, columnNames, rowKeys: keysOfPage(first), columnTypes, rowCount, offset, rows, nextOffset };
}
