import type { Client } from "./client.ts";
import { type DeadlineOptions, withDeadline } from "./deadline.ts";
import type { QueryResult } from "./query-result.ts";
import { openPages, type ResultOptions } from "./result-pages.ts";
import { rowReader, type UntypedRow } from "./row.ts";
import { typedRow } from "./row-schema.ts";

export interface PageRequest<Row = UntypedRow> extends ResultOptions<Row> {
  /** Row to start with, from 0. */
  readonly offset?: number | undefined;
}

/** Some consecutive rows of a result, as objects. Plain data: it survives JSON. */
export interface RowPage<Row = UntypedRow> {
  readonly queryRunId: string;
  readonly columnNames: readonly string[];
  readonly columnTypes: readonly string[];
  /** Rows of the whole result; null where the service does not tell. */
  readonly rowCount: number | null;
  readonly offset: number;
  readonly rows: readonly Row[];
  /** Where the next page starts; null at the end. */
  readonly nextOffset: number | null;
}

/**
 * Fetches one page of a run that has succeeded: `pageSize` rows, or fewer where the service finds that too large.
 * @throws {QuernError} of any kind but `failed` and `canceled`.
 * @see docs/reference/methods/get-query-run-results.md
 */
export function readPage<Row = UntypedRow>(
  client: Client,
  queryRunId: string,
  options: PageRequest<Row> & DeadlineOptions = {},
): Promise<RowPage<Row>> {
  return withDeadline(options, async (signal) => {
    const reader = await openPages(client, queryRunId, options, signal);
    const objectOf = rowReader(reader.rowKeys);
    const rowOf = (row: unknown, number: number) => typedRow(options.schema, objectOf(row), number);
    return firstPage({ ...reader, queryRunId, rowCount: reader.rowCount ?? null, rowOf });
  });
}

type PageSource<Row> = Pick<
  QueryResult<Row>,
  "queryRunId" | "columnNames" | "columnTypes" | "rowCount" | "first" | "rowOf"
>;

/** The page of a result that is there already, with rows as objects. */
export async function firstPage<Row>({
  first: { offset, rows: wire, isLast },
  queryRunId,
  columnNames,
  columnTypes,
  rowCount,
  rowOf,
}: PageSource<Row>): Promise<RowPage<Row>> {
  const rows = await Promise.all(wire.map((row, index) => rowOf(row, offset + index)));
  const nextOffset = isLast ? null : offset + rows.length;
  return { queryRunId, columnNames, columnTypes, rowCount, offset, rows, nextOffset };
}
