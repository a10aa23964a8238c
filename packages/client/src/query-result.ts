import type { QueryRun } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import { type RowPage, rowPage } from "./page-read.ts";
import { openPages, type ResultOptions, type ResultPage } from "./result-pages.ts";
import { rowReader, type UntypedRow } from "./row.ts";
import { typedRow } from "./row-schema.ts";

export interface ReadOptions {
  /** Stops the reading, and what is fetched for it. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * The result of a run that succeeded. Its first page is there; the others are fetched while they are read, and reading is
 * complete or throws. Each reading starts at the first row. Leaving its `await using` block stops what is read ahead.
 */
export interface QueryResult<Row = UntypedRow> extends AsyncDisposable {
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
  /** The page that is there already, as objects. Plain data: it survives JSON. */
  firstPage(): Promise<RowPage<Row>>;
  /** Rows as they came, a page at a time. */
  pages(options?: ReadOptions): AsyncGenerator<ResultPage, void, undefined>;
  /** Rows as objects, by their `rowKeys`. Integers beyond 2^53 and decimals that a double cannot hold are strings. */
  rows(options?: ReadOptions): AsyncGenerator<Row, void, undefined>;
  /** Values by column, for charts: row key -> value of each row. */
  columns(options?: ReadOptions): Promise<ReadonlyMap<string, readonly unknown[]>>;
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
  const reader = await openPages(client, queryRunId, { ...options, replyBytes }, signal);
  const { columnNames, columnTypes, rowKeys } = reader;
  const closing = new AbortController();
  const pages = ({ signal }: ReadOptions = {}) =>
    reader.pages(signal ? AbortSignal.any([signal, closing.signal]) : closing.signal);

  async function* rows(read: ReadOptions = {}): AsyncGenerator<Row, void, undefined> {
    const objectOf = rowReader(rowKeys);
    for await (const page of pages(read)) {
      let number = page.offset;
      for (const row of page.rows) {
        yield typedRow(options.schema, objectOf(row), number);
        number += 1;
      }
    }
  }

  async function columns(read: ReadOptions = {}): Promise<ReadonlyMap<string, readonly unknown[]>> {
    const columns = rowKeys.map((key) => ({ key, values: [] as unknown[] }));
    const objectOf = rowReader(rowKeys);
    for await (const page of pages(read)) {
      for (const wire of page.rows) {
        const row = objectOf(wire);
        for (const { key, values } of columns) values.push(row[key]);
      }
    }
    return new Map(columns.map(({ key, values }) => [key, values]));
  }

  return {
    queryRunId,
    queryRun,
    columnNames,
    columnTypes,
    rowKeys,
    rowCount: reader.rowCount ?? queryRun.rowCount ?? null,
    firstPage: () => rowPage(queryRunId, reader, options.schema),
    pages,
    rows,
    columns,
    async [Symbol.asyncDispose]() {
      closing.abort();
    },
  };
}
