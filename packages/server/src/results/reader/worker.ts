/** The process that reads stored results. It runs no SQL but its own. */
import { BIGINT, type DuckDBConnection, DuckDBInstance, type DuckDBType } from "@duckdb/node-api";
import { type PageRange, pageExcess, pageRange } from "@quern/query-run/page";
import { CallError } from "../../processes/messages.ts";
import { serveParent } from "../../processes/serving.ts";
import { rowIndexColumn } from "../row-index.ts";
import { countQuery, type Query, rowsQuery, typesQuery, weightsQuery } from "./page-query.ts";
import { type Fit, type PageText, weigh, writeRows } from "./page-text.ts";
import { ofSortedCopy } from "./sorted-copy.ts";
import type { InspectedFile, InspectTask, PageAnswer, PageTask } from "./task.ts";

// The process starts in its own directory, where it may spill. Its engine has the memory of an executor's: what that could
// write, this can read. The process has more, for the copies that the engine does not count.
const instance = await DuckDBInstance.create(":memory:", {
  threads: "2",
  memory_limit: "1000MB",
  temp_directory: "spill",
  autoinstall_known_extensions: "false",
  autoload_known_extensions: "false",
});

async function inspect({ path }: InspectTask): Promise<InspectedFile> {
  const connection = await instance.connect();
  try {
    const footer = await connection.runAndReadAll("SELECT num_rows FROM parquet_file_metadata($1)", [path]);
    return { rowCount: Number(footer.getRows()[0]?.[0]) };
  } finally {
    connection.closeSync();
  }
}

const connect = async (): Promise<DuckDBConnection> => {
  const connection = await instance.connect();
  await connection.run("SET TimeZone = 'UTC'");
  return connection;
};

async function page(asked: PageTask, signal: AbortSignal): Promise<PageAnswer> {
  const connection = await connect();
  signal.addEventListener("abort", () => connection.interrupt());
  try {
    const task = await ofSortedCopy(connect, asked);
    const range = pageRange(task.page, await countRows(connection, task));
    const { parts, rowCount, excessBytes } = await readRows(connection, task, range);
    if (excessBytes !== null) return pageExcess(range.offset, { rowCount, excessBytes }, task.maxBytes);
    const head = `{${task.members},"page":${JSON.stringify(range.page)},"rows":`;
    return { json: Buffer.concat([Buffer.from(head), ...parts, Buffer.from("}")]) };
  } catch (error) {
    throw readerError(error);
  } finally {
    // The next statement frees a stream that was not read to its end; else its memory is kept until it is collected.
    await connection.run("SELECT 1").catch(() => {});
    connection.closeSync();
  }
}

async function countRows(connection: DuckDBConnection, task: PageTask): Promise<number> {
  if (task.conditions.length === 0) return task.rowCount;
  const { text, values, types } = countQuery(task);
  return Number((await connection.runAndReadAll(text, values, types)).getRows()[0]?.[0]);
}

/** The rows of a page, or those of them that fit. What cannot fit is not brought into this process, whose heap is small. */
async function readRows(connection: DuckDBConnection, task: PageTask, range: PageRange): Promise<PageText> {
  const { columns, rowIndex, format, maxBytes } = task;
  const stream = ({ text, values, types }: Query) => connection.stream(text, values, types);
  const weights = weightsQuery(task, range.offset, range.rowCount);
  const light =
    weights === undefined ? allOf(range) : whole(await weigh(await stream(weights), maxBytes), range.rowCount);
  const types = await statementTypes(connection, task);
  const form = {
    format,
    names: (rowIndex ? [...columns, rowIndexColumn] : columns).map(({ name }) => name),
    types: rowIndex ? [...types, BIGINT] : types,
  };
  const rows = await stream(rowsQuery(task, range.offset, light.rowCount));
  const written = whole(await writeRows(rows, form, maxBytes), light.rowCount);
  return { ...written, excessBytes: written.excessBytes ?? light.excessBytes };
}

function allOf({ rowCount }: PageRange): Fit {
  return { rowCount, excessBytes: null };
}

/** A stream that fails ends early and says nothing. */
function whole<T extends Fit>(fit: T, rowCount: number): T {
  if (fit.excessBytes !== null || fit.rowCount === rowCount) return fit;
  throw new Error(`the file gave ${fit.rowCount} rows of ${rowCount}`);
}

async function statementTypes(connection: DuckDBConnection, task: PageTask): Promise<DuckDBType[]> {
  const statement = await connection.prepare(typesQuery(task));
  return task.columns.map((_, index) => statement.columnType(index));
}

/** A value that cannot be compared with its column is the caller's mistake; all else is the file's or ours. */
function readerError(error: unknown): CallError {
  const message = error instanceof Error ? error.message : String(error);
  const name =
    message.startsWith("Conversion Error") || message.startsWith("Binder Error") ? "ValueError" : "ReadError";
  return new CallError({ name, message, data: { category: "INTERNAL" } });
}

// Both arguments are written by the reader beside this file.
serveParent({
  inspect: (argument) => inspect(argument as InspectTask),
  page: (argument, signal) => page(argument as PageTask, signal),
});
