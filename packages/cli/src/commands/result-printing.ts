import { type Client, getQueryRun, type QueryResult, resumeQuery, rowKeysOf } from "@quern/client";
import { aboutRun, StoppedError, UsageError } from "../cli-error.ts";
import { connect } from "../connection.ts";
import type { Context } from "../context.ts";
import { chosenFormat, type Format, isBinary, type ResultFormat } from "../output/format.ts";
import { jsonArrayOf } from "../output/json.ts";
import type { Row } from "../output/row.ts";
import { rowWriter } from "../output/row-writer.ts";
import type { TableOptions } from "../output/table.ts";
import { openTarget } from "../output/target.ts";
import { write } from "../output/write.ts";
import { createProgress, secondsText } from "../progress.ts";
import { listenForStop } from "../stop-signal.ts";
import { startDeadline } from "./deadline.ts";
import { openDownload } from "./download.ts";
import type { ResultFlags } from "./result-flags.ts";

/** What opens a result, and what it is given. */
export interface Opening {
  readonly client: Client;
  /** Rows of the first page; 0 where the result is downloaded, which needs no page. */
  readonly pageSize: number | undefined;
  /** Aborted by a stop signal or the deadline. */
  readonly signal: AbortSignal;
  /** Aborted by the deadline alone. */
  readonly deadline: AbortSignal;
  /** Takes each state of the run. */
  readonly onState: (state: string, queryRunId: string) => void;
}

export interface ResultSource {
  /** What becomes of the run when the command stops: `is withdrawn`. */
  readonly fate: string;
  open(opening: Opening): Promise<QueryResult>;
}

const defaultTimeoutSeconds = 1_200;

/** Waits for the result of a run, and prints it or writes it to a file. */
export async function printResult(context: Context, flags: ResultFlags, { fate, open }: ResultSource): Promise<void> {
  const { process } = context;
  const client = await connect(flags, context);
  const target = await openTarget(flags.output, process.stdout);
  const format = chosenFormat<ResultFormat>(flags, target.stream);
  if (isBinary(format) && target.stream.isTTY)
    throw new UsageError(`${format} is binary; name a file with --output, or send it into a pipe`);
  const progress = createProgress(process, flags.progress);
  const stop = listenForStop(process, () => progress.show("stopping; Ctrl-C again ends the command at once"));
  const { timeoutSeconds = defaultTimeoutSeconds } = flags;
  const deadline = startDeadline(timeoutSeconds);
  const start = performance.now();
  let queryRunId: string | undefined;
  let isOpen = false;
  try {
    const result = await open({
      client,
      pageSize: format === "table" ? undefined : 0,
      signal: AbortSignal.any([stop.signal, deadline.signal]),
      deadline: deadline.signal,
      onState(state, id) {
        queryRunId = id;
        progress.run(id, state, () => readState(client, id));
      },
    });
    const elapsedMs = performance.now() - start;
    queryRunId = result.queryRunId;
    isOpen = true;
    // From here on the reader takes the time.
    deadline.end();
    progress.clear();
    const table = tableOf(target.stream, flags.full);
    const output = await outputOf(client, result, format, table, stop.signal);
    for await (const piece of output) await write(target.stream, piece, stop.signal);
    await target.keep();
    if (format === "table" && target.stream.isTTY) process.stderr.write(footer(result, table.hidden, elapsedMs));
  } catch (error) {
    await target.drop();
    const by = stop.name() ?? (deadline.signal.aborted ? "timeout" : undefined);
    if (by === undefined) throw aboutRun(error, queryRunId);
    throw new StoppedError(by, `${stopText(by, timeoutSeconds)}${runText()}`, queryRunId);
  } finally {
    deadline.end();
    progress.clear();
    stop.end();
  }

  function runText(): string {
    if (queryRunId === undefined) return "";
    return isOpen
      ? ` Run ${queryRunId} has ended: \`quern result ${queryRunId}\` prints its result.`
      : ` Run ${queryRunId} ${fate}.`;
  }
}

export async function readState(client: Client, queryRunId: string): Promise<string> {
  return (await getQueryRun(client, { queryRunId })).queryRun.state;
}

/** What stopped a command, as a sentence. */
export function stopText(by: StoppedError["by"], timeoutSeconds: number): string {
  if (by === "timeout") return `not done within ${timeoutSeconds} s.`;
  return by === "SIGINT" ? "interrupted." : `stopped by ${by}.`;
}

type Table = TableOptions & { hidden: number };

function tableOf({ isTTY, columns }: { isTTY?: boolean; columns?: number }, full: boolean): Table {
  const table: Table = {
    hidden: 0,
    terminalWidth: isTTY && !full ? columns : undefined,
    onHidden(count) {
      table.hidden = count;
    },
  };
  return table;
}

const downloadFormats = { csv: "csv", json: "ndjson", jsonl: "ndjson", parquet: "parquet", arrow: "arrow" } as const;

/** The whole result by download, or its pages for a table and where the service has no such download. */
async function outputOf(
  client: Client,
  result: QueryResult,
  format: ResultFormat,
  table: Table,
  signal: AbortSignal,
): Promise<AsyncIterable<string | Uint8Array>> {
  if (format === "table") return texts(result, format, table, signal);
  const { queryRunId } = result;
  try {
    const bytes = await openDownload(client, queryRunId, downloadFormats[format], signal);
    return format === "json" ? jsonArrayOf(bytes) : bytes;
  } catch (error) {
    if (isBinary(format) || signal.aborted) throw error;
    return texts(await resumeQuery(client, queryRunId, { signal }), format, table, signal);
  }
}

/** The result as text, a page at a time. */
async function* texts(
  result: QueryResult,
  format: Format,
  table: Table,
  signal: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const { columnNames, columnTypes, first } = result;
  // The keys of a download: those of the interface's format `json`, which are lower case.
  const keys = rowKeysOf({ ...first, rows: [], columnNames: columnNames.map((name) => name.toLowerCase()) });
  const columns = keys.map((key, at) => ({ key, name: columnNames[at] ?? key, type: columnTypes[at] ?? "unknown" }));
  const writer = rowWriter(format, columns, table);
  yield writer.head();
  // Without a format the client requests arrays.
  for await (const { rows } of result.pages({ signal })) yield writer.page(rows as readonly Row[]);
  yield writer.tail();
}

function footer({ rowCount, columnNames, first }: QueryResult, hidden: number, elapsedMs: number): string {
  const rows = rowCount ?? first.rows.length;
  const shown = columnNames.length - hidden;
  const columns = hidden === 0 ? "" : `, ${shown} of ${columnNames.length} columns (--full prints all)`;
  return `${rows.toLocaleString("en")} ${rows === 1 ? "row" : "rows"} in ${secondsText(elapsedMs)}${columns}\n`;
}
