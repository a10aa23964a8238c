/** Process that reads pages of stored results. It runs no SQL of callers. */
import type { DuckDBConnection, DuckDBResult } from "@duckdb/node-api";
import { isStatementError, StatementError } from "@quern/adapter";
import { type PageRange, pageExcess, pageRange } from "@quern/query-run/page";
import { interruptOnAbort } from "../engine/interrupt.ts";
import { serveParent } from "../processes/serving.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { resultFiles } from "../results/result-files.ts";
import { columnProfile } from "./column-profile.ts";
import { enginePageText } from "./engine-page-text.ts";
import { createPageEngine, type PageEngine } from "./page-engine.ts";
import { countQuery, type LocatedTask, rowsQuery } from "./page-query.ts";
import { type Fit, type PageText, weigh, writeRows } from "./page-text.ts";
import { resultSummary } from "./result-summary.ts";
import { type RowPlan, rowPlan } from "./row-plan.ts";
import type { PageAnswer, PageTask, ProfileTask, SummaryTask } from "./task.ts";

/** Answer, and whether its rows came as a stream of the engine. */
interface Answer<T> {
  readonly answer: T;
  readonly isStreamed: boolean;
}

let engine: PageEngine | undefined;

/** Reads on a connection of the engine, which an abort interrupts. */
async function reads<T>(
  request: PageTask,
  signal: AbortSignal,
  read: (connection: DuckDBConnection, task: LocatedTask) => Promise<Answer<T>>,
): Promise<T> {
  if (engine === undefined) throw new Error("The engine is not open: call open first.");
  try {
    const files = resultFiles(request.paths);
    for (const { path } of files) engine.countFooter(path);
    const { connection, release } = await engine.acquire();
    const stop = interruptOnAbort(connection, signal);
    let hasStreamed = true;
    try {
      const { answer, isStreamed } = await read(connection, { ...request, files });
      hasStreamed = isStreamed;
      return answer;
    } finally {
      stop();
      void release(hasStreamed); // the answer need not wait for it
    }
  } catch (error) {
    throw readerError(error);
  }
}

async function pageOf(connection: DuckDBConnection, task: LocatedTask): Promise<Answer<PageAnswer>> {
  const plan = rowPlan(task);
  const range = pageRange(task.page, await countRows(connection, task));
  const written = await enginePageText(connection, task, plan, range);
  const { parts, rowCount, excessBytes } = written ?? (await readRows(connection, task, plan, range));
  const answer =
    excessBytes === null
      ? { position: range.page, rows: Buffer.concat(parts) }
      : pageExcess(range.offset, { rowCount, excessBytes }, task.maxBytes);
  return { answer, isStreamed: written === undefined };
}

async function countRows(connection: DuckDBConnection, task: LocatedTask): Promise<number> {
  if (task.conditions.length === 0) return task.rowCount;
  const { text, values, types } = countQuery(task);
  return Number((await connection.runAndReadAll(text, values, types)).getRows()[0]?.[0]);
}

/**
 * Reads the rows of a page that fit. Size estimates exclude rows that cannot fit, so that they do not fill the heap.
 */
async function readRows(
  connection: DuckDBConnection,
  task: LocatedTask,
  { parts, textBytes }: RowPlan,
  range: PageRange,
): Promise<PageText> {
  const { maxBytes } = task;
  const stream = (list: readonly string[], rowCount: number): Promise<DuckDBResult> => {
    const { text, values, types } = rowsQuery(task, list, range.offset, rowCount);
    return connection.stream(text, values, types);
  };
  const candidates =
    textBytes === undefined
      ? allOf(range)
      : complete(await weigh(await stream([textBytes], range.rowCount), maxBytes), range.rowCount);
  const rows = await stream(
    parts.map(({ select }) => select),
    candidates.rowCount,
  );
  const written = complete(await writeRows(rows, parts, maxBytes), candidates.rowCount);
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
  if (isStatementError(error)) return error;
  const message = error instanceof Error ? error.message : String(error);
  const name =
    message.startsWith("Conversion Error") || message.startsWith("Binder Error") ? "ValueError" : "ReadError";
  return new StatementError({
    name,
    message: name === "ReadError" ? withoutValues(message) : message,
    data: { category: "INTERNAL" },
  });
}

/** Returns a message for the log: the kind of an error whose text may quote a value of a row, else the first line. */
function withoutValues(message: string): string {
  const [kind] = /^(?:Invalid Input|Out of Range|Mismatch Type|Constraint|INTERNAL) Error/.exec(message) ?? [];
  const [line = ""] = message.split("\n", 1);
  return kind === undefined ? line : `${kind} of the engine while it read the page`;
}

// The arguments are sent by `page-process.ts`.
serveParent({
  async open(argument) {
    engine = createPageEngine(argument as ReadingLimits);
    await engine.open();
  },
  page: (argument, signal) => reads(argument as PageTask, signal, pageOf),
  profile(argument, signal) {
    const request = argument as ProfileTask;
    return reads(request, signal, async (connection, task) => {
      const answer = await columnProfile(connection, { ...task, column: request.column });
      return { answer, isStreamed: false };
    });
  },
  summary(argument, signal) {
    const request = argument as SummaryTask;
    return reads(request, signal, async (connection, { files }) => {
      const answer = await resultSummary(connection, { ...request, files });
      return { answer, isStreamed: false };
    });
  },
});
