import type { QueryRun } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import type { DeadlineOptions } from "./deadline.ts";
import { readingOf } from "./reading.ts";
import { openPages, type ResultOptions, type ResultPage } from "./result-pages.ts";
import { rowReader, type UntypedRow } from "./row.ts";
import { typedRow } from "./row-schema.ts";

/**
 * The result of a run that succeeded. Its first page is there; the others are fetched while they are read, and reading is
 * complete or throws. Each reading starts at the first row; leaving its loop, its signal or
 * its deadline stops what is read ahead.
 */
export interface QueryResult<Row = UntypedRow> {
  readonly queryRunId: string;
  /** The run as the service last told it. */
  readonly queryRun: QueryRun;
  /** As the statement names them; a name may repeat. */
  readonly columnNames: readonly string[];
  /** Keys of the rows as objects, one for each column: a repeated name gets `_2`. In the format `json` they are lower case. */
  readonly rowKeys: readonly string[];
  /** One of `string number date object array boolean unknown` for each column. */
  readonly columnTypes: readonly string[];
  /** Rows of the whole result; null where the service does not tell. */
  readonly rowCount: number | null;
  /** The page that is there already. */
  readonly first: ResultPage;
  /** Rows as they came, a page at a time. */
  pages(options?: DeadlineOptions): AsyncIterableIterator<ResultPage, void, undefined>;
  /** Rows as objects, by their `rowKeys`. Integers beyond 2^53 and decimals that a double cannot hold are strings. */
  rows(options?: DeadlineOptions): AsyncIterableIterator<Row, void, undefined>;
  /**
   * A row as it came, made an object.
   * @param number Its place in the result, from 0.
   * @throws {QuernError} `protocol` where it is not as the schema says.
   */
  rowOf(row: unknown, number: number): Row | Promise<Row>;
}

const smallBytes = 1024 * 1024;

/** Fetches the first page of a run that succeeded. */
export async function openResult<Row>(
  client: Client,
  queryRun: QueryRun,
  queryRunId: string,
  options: ResultOptions<Row>,
  signal: AbortSignal,
): Promise<QueryResult<Row>> {
  const bytes = Number(queryRun.totalSize ?? Infinity);
  const replyBytes = bytes <= smallBytes ? bytes : undefined;
  const rowCount = queryRun.rowCount ?? undefined;
  const reader = await openPages(client, queryRunId, { ...options, replyBytes, rowCount }, signal);
  const objectOf = rowReader(reader.rowKeys);
  const rowOf = (row: unknown, number: number) => typedRow(options.schema, objectOf(row), number);

  const { open, ...known } = reader;
  return {
    ...known,
    rowCount: reader.rowCount ?? null,
    queryRunId,
    queryRun,
    pages: (deadline) =>
      readingOf(
        open,
        (page) => [page],
        (page) => page,
        deadline,
      ),
    rows: (deadline) => readingOf(open, ({ rows }) => rows, rowOf, deadline),
    rowOf,
  };
}

/** The values of a result by column, for charts: row key -> value of each row. */
export async function columnsOf(
  { rowKeys, pages }: Pick<QueryResult, "rowKeys" | "pages">,
  read?: DeadlineOptions,
): Promise<ReadonlyMap<string, readonly unknown[]>> {
  const columns = new Map<string, unknown[]>(rowKeys.map((key) => [key, []]));
  const objectOf = rowReader(rowKeys);
  for await (const { rows } of pages(read)) {
    for (const row of rows.map(objectOf)) for (const [key, values] of columns) values.push(row[key]);
  }
  return columns;
}
