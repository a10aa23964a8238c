import { text as readText } from "node:stream/consumers";
import { type QueryResult, rowKeysOf, startQuery } from "@quern/client";
import { StoppedError, UsageError } from "../cli-error.ts";
import { commandFunction, type JsonFlag } from "../command-function.ts";
import { type ConnectionFlags, connect } from "../connection.ts";
import type { Context } from "../context.ts";
import { type BinaryFormat, defaultFormat, type Format, isBinary } from "../output/format.ts";
import type { Row } from "../output/row.ts";
import { rowWriter } from "../output/row-writer.ts";
import { openTarget } from "../output/target.ts";
import { write } from "../output/write.ts";
import { createProgress } from "../progress.ts";
import { download } from "./download.ts";

export interface QueryFlags extends ConnectionFlags, JsonFlag {
  readonly format?: Format | BinaryFormat;
  readonly output?: string;
  readonly param?: readonly (readonly [string, string | number | boolean | null])[];
  readonly maxAgeMinutes?: number;
  readonly resultTtlHours?: number;
  readonly tag?: readonly (readonly [string, string])[];
  readonly dataSource?: string;
  readonly dataProvider?: string;
  readonly timeoutSeconds?: number;
}

const defaultTimeoutSeconds = 1_200;
/** The first page of what is downloaded is not looked at. */
const noRows = { pageSize: 0 };

export const runQuery = commandFunction(async (context: Context, flags: QueryFlags, sql?: string) => {
  const { process } = context;
  const statement = await statementText(sql, process.stdin);
  const client = await connect(flags, context);
  const target = await openTarget(flags.output, process.stdout);
  const format = flags.format ?? defaultFormat(target.stream);
  if (isBinary(format) && target.stream.isTTY)
    throw new UsageError(`${format} is nothing to read; name a file with --output, or send it into a pipe`);
  const progress = createProgress(process.stderr);
  const interrupt = listenForInterrupt(process, () =>
    progress.show("withdrawing; Ctrl-C again leaves the query to itself"),
  );
  const { timeoutSeconds = defaultTimeoutSeconds } = flags;
  const deadline = startDeadline(timeoutSeconds);
  const signal = AbortSignal.any([interrupt.signal, deadline.signal]);
  let queryRunId: string | undefined;
  try {
    // Ctrl-C does not end this wait: the answer has the id of the run that is to be withdrawn.
    const started = await startQuery(
      client,
      { ...requestOf(flags), sql: statement, ...(isBinary(format) && noRows) },
      { signal: deadline.signal },
    );
    queryRunId = started.queryRunId;
    if (signal.aborted) await started.cancel();
    signal.throwIfAborted();
    progress.show(`${queryRunId} is queued`);
    const onState = (state: string, id: string) => progress.show(`${id} is ${stateText(state)}`);
    const result = await started.result({ signal, onState });
    // From here on it is the reader who takes the time, and there is nothing left to withdraw.
    queryRunId = undefined;
    deadline.end();
    progress.clear();
    const output = isBinary(format)
      ? download(client, result.queryRunId, format, interrupt.signal)
      : texts(result, format, interrupt.signal);
    for await (const piece of output) await write(target.stream, piece, interrupt.signal);
    await target.keep();
  } catch (error) {
    await target.drop();
    if (interrupt.signal.aborted) throw new StoppedError("interrupted", "interrupted.", queryRunId);
    if (deadline.signal.aborted) throw new StoppedError("timeout", `not done within ${timeoutSeconds} s.`, queryRunId);
    throw error;
  } finally {
    deadline.end();
    progress.clear();
    interrupt.end();
  }
});

/** A signal that the first Ctrl-C aborts. A second one finds no listener and ends the process. */
function listenForInterrupt(process: NodeJS.Process, onInterrupt: () => void) {
  const controller = new AbortController();
  const abort = () => {
    onInterrupt();
    controller.abort();
  };
  process.once("SIGINT", abort);
  return { signal: controller.signal, end: () => process.off("SIGINT", abort) };
}

/** A signal that is aborted after this time, unless it is ended before. */
function startDeadline(seconds: number) {
  const controller = new AbortController();
  const timer = setTimeout(() => controller.abort(), seconds * 1_000);
  return { signal: controller.signal, end: () => clearTimeout(timer) };
}

async function statementText(sql: string | undefined, stdin: NodeJS.ReadStream): Promise<string> {
  if (sql !== undefined && sql !== "-") return sql;
  if (sql === "-" || !stdin.isTTY) return readText(stdin);
  throw new UsageError('there is no statement; write `quern query "select 1"`, or send it to stdin');
}

function requestOf({
  param,
  maxAgeMinutes,
  resultTtlHours: resultTTLHours,
  tag,
  dataSource,
  dataProvider,
}: QueryFlags) {
  const tags = tag && Object.fromEntries(tag);
  return { parameters: param && parametersOf(param), maxAgeMinutes, resultTTLHours, tags, dataSource, dataProvider };
}

/** By position where every name is a number, else by name. */
function parametersOf(pairs: NonNullable<QueryFlags["param"]>) {
  const byPosition = pairs.map(([name]) => name).sort((a, b) => Number(a) - Number(b));
  if (!byPosition.every((name, at) => name === String(at + 1))) return Object.fromEntries(pairs);
  const values = new Map(pairs);
  return byPosition.map((name) => values.get(name) ?? null);
}

function stateText(state: string): string {
  return state.replace("QUERY_STATE_", "").replaceAll("_", " ").toLowerCase();
}

/** The result as text, a page at a time. */
async function* texts(result: QueryResult, format: Format, signal: AbortSignal): AsyncGenerator<string> {
  const { columnNames, columnTypes, first } = result;
  const columns = rowKeysOf(first).map((key, at) => ({
    key,
    name: columnNames[at] ?? key,
    type: columnTypes[at] ?? "unknown",
  }));
  const writer = rowWriter(format, columns);
  yield writer.head();
  // Without a format the client asks for arrays.
  for await (const { rows } of result.pages({ signal })) yield writer.page(rows as readonly Row[]);
  yield writer.tail();
}
