/** The process that reads stored results. It runs no SQL but its own. */
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

async function page(asked: PageTask, signal: AbortSignal): Promise<PageAnswer> {
  if (engine === undefined) throw new Error("the engine was not opened");
  const connection = await (await engine).connect();
  const stop = interruptOnAbort(connection, signal);
  try {
    const task = { ...asked, files: await resultFiles(asked.paths) };
    const range = pageRange(task.page, await countRows(connection, task));
    const { parts, rowCount, excessBytes } = await readRows(connection, task, range);
    if (excessBytes !== null) return pageExcess(range.offset, { rowCount, excessBytes }, task.maxBytes);
    const head = `{${task.members},"page":${JSON.stringify(range.page)},"rows":`;
    return { json: Buffer.concat([Buffer.from(head), ...parts, Buffer.from("}")]) };
  } catch (error) {
    throw readerError(error);
  } finally {
    stop();
    // The next statement frees a stream that was not read to its end; else its memory is kept until it is collected.
    await connection.run("SELECT 1").catch(() => {});
    connection.closeSync();
  }
}

async function countRows(connection: DuckDBConnection, task: LocatedTask): Promise<number> {
  if (task.conditions.length === 0) return task.rowCount;
  const { text, values, types } = countQuery(task);
  return Number((await connection.runAndReadAll(text, values, types)).getRows()[0]?.[0]);
}

/** The rows of a page, or those of them that fit. What cannot fit is not brought into this process, whose heap is small. */
async function readRows(connection: DuckDBConnection, task: LocatedTask, range: PageRange): Promise<PageText> {
  const { columns, rowIndex, format, maxBytes } = task;
  const stream = ({ text, values, types }: Query) => connection.stream(text, values, types);
  const weights = weightsQuery(task, range.offset, range.rowCount);
  const light =
    weights === undefined ? allOf(range) : whole(await weigh(await stream(weights), maxBytes), range.rowCount);
  const types = columns.map(storedType);
  const cells = types.map((type, index) => pageCell(type, `c${index}`));
  const form = {
    format,
    names: (rowIndex ? [...columns, rowIndexColumn] : columns).map(({ name }) => name),
    types: rowIndex ? [...types, BIGINT] : types,
  };
  const rows = await stream(rowsQuery(task, cells, range.offset, light.rowCount));
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

/** A value that cannot be compared with its column is the caller's mistake; all else is the file's or ours. */
function readerError(error: unknown): StatementError {
  const message = error instanceof Error ? error.message : String(error);
  const name =
    message.startsWith("Conversion Error") || message.startsWith("Binder Error") ? "ValueError" : "ReadError";
  return new StatementError({ name, message, data: { category: "INTERNAL" } });
}

// The arguments are written by the reader beside this file.
serveParent({
  async open(argument) {
    engine = openEngine(argument as ReadingLimits);
    await engine;
  },
  page: (argument, signal) => page(argument as PageTask, signal),
});
