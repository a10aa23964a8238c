/** Process that reads pages of stored results. It runs no SQL of callers. */
import { BIGINT, type DuckDBConnection } from "@duckdb/node-api";
import { StatementError } from "@quern/adapter";
import { type PageRange, pageExcess, pageRange } from "@quern/query-run/page";
import { pageCell } from "../engine/column-type.ts";
import { interruptOnAbort } from "../engine/interrupt.ts";
import { storedType } from "../engine/stored-type.ts";
import { serveParent } from "../processes/serving.ts";
import { openEngine, type ReadingLimits } from "../results/engine.ts";
import { resultFiles, rowIndexColumn } from "../results/result-files.ts";
import { countQuery, type LocatedTask, type Query, rowsQuery, weightsQuery } from "./page-query.ts";
import { type Fit, type PageText, weigh, writeRows } from "./page-text.ts";
import type { PageAnswer, PageTask } from "./task.ts";

let engine: ReturnType<typeof openEngine> | undefined;

async function page(request: PageTask, signal: AbortSignal): Promise<PageAnswer> {
  if (engine === undefined) throw new Error("The engine is not open: call open first.");
  const connection = await (await engine).connect();
  const stop = interruptOnAbort(connection, signal);
  try {
    const task = { ...request, files: await resultFiles(request.paths) };
    const range = pageRange(task.page, await countRows(connection, task));
    const { parts, rowCount, excessBytes } = await readRows(connection, task, range);
    if (excessBytes !== null) return pageExcess(range.offset, { rowCount, excessBytes }, task.maxBytes);
    const head = `{${task.members},"page":${JSON.stringify(range.page)},"rows":`;
    return { json: Buffer.concat([Buffer.from(head), ...parts, Buffer.from("}")]) };
  } catch (error) {
    throw readerError(error);
  } finally {
    stop();
    // The next statement frees a stream that was not read to its end. Otherwise its memory stays until garbage collection.
    await connection.run("SELECT 1").catch(() => {});
    connection.closeSync();
  }
}

async function countRows(connection: DuckDBConnection, task: LocatedTask): Promise<number> {
  if (task.conditions.length === 0) return task.rowCount;
  const { text, values, types } = countQuery(task);
  return Number((await connection.runAndReadAll(text, values, types)).getRows()[0]?.[0]);
}

/** Reads the rows of a page that fit. Size estimates exclude rows that cannot fit, so that they do not fill the heap. */
async function readRows(connection: DuckDBConnection, task: LocatedTask, range: PageRange): Promise<PageText> {
  const { columns, rowIndex, format, maxBytes } = task;
  const stream = ({ text, values, types }: Query) => connection.stream(text, values, types);
  const weights = weightsQuery(task, range.offset, range.rowCount);
  const candidates =
    weights === undefined ? allOf(range) : complete(await weigh(await stream(weights), maxBytes), range.rowCount);
  const types = columns.map(storedType);
  const cells = types.map((type, index) => pageCell(type, `c${index}`));
  const form = {
    format,
    names: (rowIndex ? [...columns, rowIndexColumn] : columns).map(({ name }) => name),
    types: rowIndex ? [...types, BIGINT] : types,
  };
  const rows = await stream(rowsQuery(task, cells, range.offset, candidates.rowCount));
  const written = complete(await writeRows(rows, form, maxBytes), candidates.rowCount);
  return { ...written, excessBytes: written.excessBytes ?? candidates.excessBytes };
}

function allOf({ rowCount }: PageRange): Fit {
  return { rowCount, excessBytes: null };
}

/** Checks that a stream had all rows. A stream of the engine can fail without an error, and then ends early. */
function complete<T extends Fit>(fit: T, rowCount: number): T {
  if (fit.excessBytes !== null || fit.rowCount === rowCount) return fit;
  throw new Error(`Incomplete result: the stream ended after ${fit.rowCount} of ${rowCount} rows.`);
}

/** Converts an error. A value that cannot be compared with its column is an error of the caller (`ValueError`). */
function readerError(error: unknown): StatementError {
  const message = error instanceof Error ? error.message : String(error);
  const name =
    message.startsWith("Conversion Error") || message.startsWith("Binder Error") ? "ValueError" : "ReadError";
  return new StatementError({ name, message, data: { category: "INTERNAL" } });
}

// The arguments are sent by `reader.ts`.
serveParent({
  async open(argument) {
    engine = openEngine(argument as ReadingLimits);
    await engine;
  },
  page: (argument, signal) => page(argument as PageTask, signal),
});
