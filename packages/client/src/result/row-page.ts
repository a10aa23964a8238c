import type { ColumnType } from "@quern/protocol/types";
import type { Client } from "../wire/client.ts";
import { type DeadlineOptions, withDeadline } from "../wire/deadline.ts";
import type { QueryResult } from "./query-result.ts";
import { type PageOptions, pageReader } from "./result-pages.ts";
import { keysOfPage, type RowOptions, rowReader, type UntypedRow } from "./row.ts";

export interface ReadPageOptions<Row = UntypedRow> extends PageOptions, RowOptions<Row> {
  /** Row to start with, from 0. */
  readonly offset?: number | undefined;
  /** Row to stop before: all rows up to it are read, in several requests if need be. The end of the page by default. */
  readonly end?: number | undefined;
}

/** Some consecutive rows of a result, as objects. Plain data: it survives JSON. */
export interface RowPage<Row = UntypedRow> {
  readonly queryRunId: string;
  /** As the statement names them; a name may repeat. */
  readonly columnNames: readonly string[];
  /** Keys of the rows, in the order of `columnNames`: a repeated name gets `_2`. */
  readonly rowKeys: readonly string[];
  readonly columnTypes: readonly ColumnType[];
  /** Rows of the whole result; null where the service does not tell. */
  readonly rowCount: number | null;
  readonly offset: number;
  readonly rows: readonly Row[];
  /** Where the next page starts; null at the end. */
  readonly nextOffset: number | null;
}

/**
 * Fetches one page of a run that has succeeded: `pageSize` rows, or fewer where the service finds that too large and where
 * `offset` is no multiple of it.
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

/** The page of a result that is there already, with rows as objects. */
export async function rowPageOf<Row = UntypedRow>(
  { first, queryRunId }: Pick<QueryResult, "queryRunId" | "first">,
  { schema }: RowOptions<Row> = {},
): Promise<RowPage<Row>> {
  const { columnNames, columnTypes, rowCount, offset, isLast } = first;
  const rowOf = rowReader({ queryRunId, first }, schema);
  const rows = await Promise.all(first.rows.map((row, index) => rowOf(row, offset + index)));
  const nextOffset = isLast ? null : offset + rows.length;
  return { queryRunId, columnNames, rowKeys: keysOfPage(first), columnTypes, rowCount, offset, rows, nextOffset };
}
