import { execFileSync } from "node:child_process";
import { constants, openSync, readSync } from "node:fs";
import { mkdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import type { DuckDBConnection, DuckDBType, DuckDBValue } from "@duckdb/node-api";
import type { EngineColumn } from "@quern/adapter";
import type { DownloadFormat } from "@quern/query-run/download-format";
import type { Cells, ResultColumn } from "@quern/query-run/record";
import type { ViewMembers } from "@quern/query-run/view";
import { resultView } from "@quern/query-run/view";
import { parseExactly } from "../../../json-rpc/src/exact-number.ts";
import type { TaskHandler } from "../../src/processes/serving.ts";
import type { Page, PageTask } from "../../src/reader/task.ts";
import type { Piece } from "../../src/writer/rows-file.ts";
import type { WriteAnswer, WriteTask } from "../../src/writer/task.ts";

/** Stored result of a statement. */
export interface Stored {
  readonly path: string;
  readonly columns: readonly ResultColumn[];
  readonly types: readonly DuckDBType[];
  readonly rowCount: number;
}

/** Returns the number of bytes that a pipe has now. */
async function readNow(pipe: number, bytes: Buffer): Promise<number> {
  try {
    return readSync(pipe, bytes);
  } catch {
    return 0; // it has none
  }
}

/** Matches a parameter of SQL, and texts and names, in which a `$` has no meaning. */
const parameter = /'(?:[^']|'')*'|"(?:[^"]|"")*"|\$(\d+)/g;

const patient = new AbortController().signal;

/**
 * Opens the parts of the service that store, page, filter and download results, in this process.
 * @param handlers Tasks of the workers, by their names.
 * @param directory Directory of the processes.
 * @param connection Connection that runs the statements.
 */
export async function openProduct(
  handlers: Readonly<Record<string, TaskHandler>>,
  directory: string,
  connection: DuckDBConnection,
) {
  const { columnShapes, runStatement, toResultColumns } = await import("../../src/executor/statement.ts");
  const { engineValues } = await import("../../src/executor/parameters.ts");
  const { runText } = await import("../../src/executor/run-text.ts");
  const perform = async (task: string, argument: unknown): Promise<unknown> =>
    handlers[task]?.(argument, patient, () => {});
  const { openEngine } = await import("../../src/results/engine.ts");
  const { rowsQuery } = await import("../../src/reader/page-query.ts");
  await import("../../src/download/worker.ts");
  // Each has a task of this name.
  await import("../../src/reader/page-worker.ts");
  await perform("open", { spillMegabytes: 100 });
  await import("../../src/writer/worker.ts");
  await perform("open", { spillMegabytes: 100 });
  // The test shares the engine of the pages, with its settings and macros.
  const filtering = await (await openEngine({ spillMegabytes: 100 }, 1)).connect();
  await mkdir(join(directory, "out"), { recursive: true });
  const pipe = join(directory, "pipe");
  execFileSync("mkfifo", [pipe]);
  const piped = openSync(pipe, constants.O_RDWR | constants.O_NONBLOCK);
  const threads = { hasMore: false, useAll: async () => {} };
  let count = 0;

  function pageTask({ path, columns, rowCount }: Stored, view: ViewMembers, change: Partial<PageTask>): PageTask {
    const resolved = resultView(columns, view);
    if (!("conditions" in resolved)) throw new Error(JSON.stringify(resolved));
    return {
      result: path,
      paths: [path],
      columns,
      rowCount,
      page: { number: 1, size: 1_000 },
      format: "csv",
      rowIndex: false,
      maxBytes: 100_000_000,
      ...resolved,
      ...change,
    };
  }
  async function page(task: PageTask): Promise<string> {
    return Buffer.from(((await perform("page", task)) as Page).rows).toString();
  }
  const viewOf = (filters: string): ViewMembers => ({ filters: parseExactly(filters) as never });

  return {
    perform,
    /** Runs a statement, and stores its result. */
    async store(sql: string): Promise<Stored> {
      const prepared = await connection.prepare(sql);
      const statement = { connection, threads, prepared, sql, pivotTypes: 0 };
      const shapes = await columnShapes(statement as Parameters<typeof columnShapes>[0], null);
      const written = await runStatement(statement as Parameters<typeof columnShapes>[0], null, shapes, 0);
      count += 1;
      const path = join(directory, `result-${count}.parquet`);
      await rename(join(directory, "out/result.parquet"), path);
      return {
        path,
        columns: toResultColumns(shapes),
        types: shapes.map(({ type }) => type),
        rowCount: written.rowCount,
      };
    },
    /** Runs a statement, and returns its rows as cells. */
    async cells(sql: string, hasFewRows: boolean): Promise<Cells> {
      const prepared = await connection.prepare(sql);
      const statement = { connection, threads, prepared, sql, pivotTypes: 0, hasFewRows };
      const { cells = [] } = await runStatement(statement, null, await columnShapes(statement, null), 1e9);
      await rm(join(directory, "out/result.parquet"), { force: true });
      return cells;
    },
    /** Returns the schemas of Parquet files as texts. */
    async schemas(paths: readonly string[]): Promise<readonly string[]> {
      const read = async (path: string) =>
        (await filtering.runAndReadAll(`SELECT name, type, logical_type FROM parquet_schema('${path}')`)).getRows();
      return Promise.all(paths.map(async (path) => JSON.stringify(await read(path))));
    },
    /** Returns the JSON of the rows of a page. */
    page: (stored: Stored, format: "csv" | "json") => page(pageTask(stored, {}, { format })),
    /** Returns the numbers of the rows of a page with filters. @param filters JSON, as a client sends it */
    async filteredPage(stored: Stored, filters: string): Promise<readonly number[]> {
      const rows = await page(pageTask(stored, viewOf(filters), { rowIndex: true }));
      return JSON.parse(rows).map((row: readonly unknown[]) => Number(row.at(-1)));
    },
    /** Returns for each request the numbers of the rows that meet its filters, with one statement and without the pages. */
    async filtered(stored: Stored, requests: readonly string[]): Promise<readonly (readonly number[])[]> {
      const values: DuckDBValue[] = [];
      const types: DuckDBType[] = [];
      const selects = requests.map((filters, index) => {
        const task = { ...pageTask(stored, viewOf(filters), {}), files: [{ path: stored.path, firstRow: 0 }] };
        const query = rowsQuery(task, [`${index}`, "file_row_number"], 0, stored.rowCount);
        const before = values.length;
        values.push(...query.values);
        types.push(...query.types);
        return query.text.replaceAll(parameter, (text, number) => (number ? `$${before + Number(number)}` : text));
      });
      const found = requests.map((): number[] => []);
      const reader = await filtering.runAndReadAll(selects.join("\nUNION ALL "), values, types);
      for (const [index, row] of reader.getRows()) found[Number(index)]?.push(Number(row));
      return found;
    },
    /** Returns the bytes of a download. */
    async download({ path, columns, rowCount }: Stored, format: DownloadFormat): Promise<Buffer> {
      const form = { totalBytes: 1_000, target: pipe, spillMegabytes: 10, format };
      let isWritten = false;
      const written = perform("download", { paths: [path], columns, rowCount, ...form }).finally(() => {
        isWritten = true;
      });
      written.catch(() => {}); // awaited below
      const chunks: Buffer[] = [];
      const bytes = Buffer.alloc(65_536);
      for (;;) {
        const isLast = isWritten;
        const length = await readNow(piped, bytes);
        if (length > 0) chunks.push(Buffer.from(bytes.subarray(0, length)));
        else if (isLast) break;
        else await setTimeout(1);
      }
      await written;
      return Buffer.concat(chunks);
    },
    /** Binds the JSON of values to a statement, as a client sends them, and returns its only row. */
    async bound(sql: string, parameters: string) {
      const prepared = await connection.prepare(sql);
      const values = engineValues(parseExactly(parameters) as never, prepared);
      return (await runText(connection, sql, values)).getRows();
    },
    /** Stores rows of another engine. Returns the path of the file, and its number of rows. */
    async write(encoding: WriteTask["encoding"], columns: readonly EngineColumn[], bytes: readonly Piece[]) {
      count += 1;
      const rows = `rows-${count}`;
      await writeFile(join(directory, rows), bytes);
      const caps = { maxResultBytes: 1e9, maxResultRows: 1e9 };
      const task: WriteTask = { encoding, columns, file: rows, isPipe: false, ...caps };
      const { rowCount } = (await perform("write", task)) as WriteAnswer;
      await rm(join(directory, rows));
      const path = join(directory, `written-${count}.parquet`);
      await rename(join(directory, "out/result.parquet"), path);
      return { path, rowCount };
    },
  };
}

export type Product = Awaited<ReturnType<typeof openProduct>>;
