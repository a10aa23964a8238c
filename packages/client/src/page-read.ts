import type { Client } from "./client.ts";
import { type DeadlineOptions, withDeadline } from "./deadline.ts";
import { openPages, type PageReader, type ResultOptions } from "./result-pages.ts";
import { rowReader, type UntypedRow } from "./row.ts";
import { type RowSchema, typedRow } from "./row-schema.ts";

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
  return withDeadline(options, async (signal) =>
    rowPage(queryRunId, await openPages(client, queryRunId, options, signal), options.schema),
  );
}

/** The page that a reader was opened with. */
export async function rowPage<Row>(
  queryRunId: string,
  { first: { offset, rows: wire, isLast }, columnNames, columnTypes, rowKeys, rowCount }: PageReader,
  schema: RowSchema<Row> | undefined,
): Promise<RowPage<Row>> {
  const objectOf = rowReader(rowKeys);
  const rows: Row[] = [];
  for (const row of wire) rows.push(await typedRow(schema, objectOf(row), offset + rows.length));
  const nextOffset = isLast ? null : offset + rows.length;
  return { queryRunId, columnNames, columnTypes, rowCount: rowCount ?? null, offset, rows, nextOffset };
}
