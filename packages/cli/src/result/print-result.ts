import type { Client } from "@quern/client";
import type { Context } from "../command-function.ts";
import { connect } from "../connection/connect.ts";
import { aboutRun, OutputError, StoppedError, UsageError } from "../errors/cli-error.ts";
import { textOptionsOf } from "../output/flags.ts";
import {
  chosenFormat,
  extensions,
  type FileKind,
  fileKind,
  isBinary,
  type ProfileFormat,
  type ResultFormat,
  shortFormat,
} from "../output/format.ts";
import { isRegular, type OutputProcess, openTarget, write, writtenText } from "../output/target.ts";
import { rawWriteOf, terminalColumns } from "../output/terminal.ts";
import { clockMs } from "../run/clock.ts";
import { runTimeoutSeconds } from "../run/flags.ts";
import { createProgress } from "../run/progress.ts";
import { type SignalSource, startStop, stopText } from "../run/stop.ts";
import { readStatus } from "../run/wait.ts";
import type { ResultFlags } from "./flags.ts";
import { type Advice, firstPageSize, isPaged, type OpenedResult, resultOutput } from "./result-output.ts";

/** Arguments of `ResultSource.open`. */
interface Opening {
  readonly client: Client;
  /**
   * True if the command prints pages, as for a table; false if it downloads the result, which needs only the run id.
   */
  readonly isPaged: boolean;
  /** Rows to request in the first page of a new run; undefined for the default of the client. */
  readonly pageSize: number | undefined;
  /** Aborted by a stop signal or the deadline. */
  readonly signal: AbortSignal;
  /** Aborted by the deadline alone. */
  readonly deadline: AbortSignal;
  /** Called with each new state of the run. */
  readonly onState: (state: string, queryRunId: string) => void;
  /** Prints a line on stderr, unless `--json` or `--no-progress` is set. */
  readonly inform: (line: string) => void;
}

/** Result that a command prints: of a new run or of an existing one. */
export interface ResultSource {
  open(opening: Opening): Promise<OpenedResult>;
  /** Withdraws the query when the command is stopped. @default none: the run goes on */
  withdraw?(): Promise<void>;
  /** Words that print what is left out. @default flags of the command */
  readonly advice?: Advice;
}

type OutputFlags = Pick<ResultFlags, "format" | "csv" | "tsv" | "vertical" | "json"> & {
  readonly output: string | undefined;
};

/** Returns the kind of the file for its name. @throws {UsageError} Its extension is unknown, and no flag chooses the format. */
async function outputKind({ output, format, ...flags }: OutputFlags): Promise<FileKind | undefined> {
  if (output === undefined) return undefined;
  const kind = fileKind(output);
  const isChosen = (kind.format ?? format ?? shortFormat(flags)) !== undefined;
  const isUnknown = !isChosen && kind.extension !== "";
  if (isUnknown && (await isRegular(output)))
    throw new UsageError(
      `unknown extension ${kind.extension} of ${output}; use one of ${extensions.join(", ")}, also with .gz or .zst after it, or choose the format with --format`,
    );
  return kind;
}

/** Connects, waits for the result of a run, and prints it or writes it to a file. @throws {StoppedError} A signal or the deadline stopped it. */
export async function printResult(
  context: Context,
  flags: ResultFlags & ProfileFormat,
  source: ResultSource,
): Promise<void> {
  const { process } = context;
  const format = flags.output === undefined ? chosenFormat<ResultFormat>(flags, process.stdout) : undefined;
  const isLimited = flags.maxRows === undefined && format !== undefined && isForPeople(format, process.stdout);
  const limited = isLimited ? { ...flags, maxRows: terminalRows } : flags;
  const advised = isLimited ? { advice: rowsAdvice, ...source } : source;
  const isNullDimmed = !process.env.NO_COLOR && process.env.TERM !== "dumb";
  await printResultOf(await connect(flags, context), process, limited, advised, { isNullDimmed });
}

/** Rows of a table that a terminal shows unless the caller wants more. */
const terminalRows = 1_000;
const rowsAdvice: Advice = { full: "--full", rows: "--max-rows all or -o FILE prints all" };

/** Returns whether a person reads the rows on a terminal. */
function isForPeople(format: ResultFormat, { isTTY }: { readonly isTTY?: boolean }): boolean {
  return isTTY === true && (format === "table" || format === "vertical" || format === "fitted");
}

/** Prints the result of a run as `printResult` does, by a client that exists. */
export async function printResultOf(
  client: Client,
  process: OutputProcess & SignalSource,
  flags: ResultFlags & ProfileFormat,
  { open, withdraw, advice }: ResultSource,
  { isNullDimmed = false } = {},
): Promise<void> {
  const output = flags.output === "-" ? undefined : flags.output;
  const file = await outputKind({ ...flags, output });
  const target = await openTarget(output, process.stdout);
  const byFlag = flags.format ?? shortFormat(flags);
  const format = byFlag ?? file?.format ?? chosenFormat<ResultFormat>(flags, target.stream);
  if (isBinary(format) && target.stream.isTTY)
    throw new UsageError(`cannot print ${format} on a terminal; name a file with --output, or write to a pipe`);
  const maxRows = flags.maxRows === Infinity ? undefined : flags.maxRows;
  if (isBinary(format) && maxRows !== undefined) {
    await target.drop();
    throw new UsageError(`--max-rows does not apply to ${format}; write a limit in the statement`);
  }
  const terminalWidth = flags.full ? undefined : terminalColumns(target.stream, process.env);
  const isDimmed = isNullDimmed && isForPeople(format, target.stream);
  const options = { terminalWidth, ...textOptionsOf(flags), isNullDimmed: isDimmed, maxRows, advice };
  const progress = createProgress(process, flags.progress);
  const { timeoutSeconds = runTimeoutSeconds } = flags;
  const stop = startStop(process, timeoutSeconds, () => progress.show("stopping; press Ctrl-C again to end at once"));
  // With --json, stderr is for errors only.
  const inform = (line: string): void => {
    if (flags.json || flags.progress === false) return;
    progress.clear();
    process.stderr.write(`${line}\n`);
  };
  const start = clockMs();
  let queryRunId: string | undefined;
  let isOpen = false;
  try {
    const opened = await open({
      client,
      isPaged: isPaged(format, options),
      pageSize: firstPageSize(format, options),
      signal: AbortSignal.any([stop.signal, stop.deadline]),
      deadline: stop.deadline,
      onState(state, id) {
        queryRunId = id;
        progress.run(id, { state }, () => readStatus(client, id));
      },
      inform,
    });
    const elapsedMs = clockMs() - start;
    queryRunId = opened.queryRunId;
    isOpen = true;
    // The deadline covers the wait for the run, not the time that the reader of the rows takes.
    stop.endDeadline();
    progress.clear();
    const { isTTY } = target.stream;
    const { pieces, summary, note: rowsNote } = await resultOutput(client, opened, format, options, stop.signal);
    const written =
      file?.compression === undefined
        ? pieces
        : (await import("../output/compressed.ts")).compressed(pieces, file.compression);
    let byteCount = 0;
    for await (const piece of written) {
      await write(target.stream, piece, stop.signal, isDimmed ? rawWriteOf(target.stream) : undefined);
      byteCount += Buffer.byteLength(piece);
    }
    const note = await target.keep();
    if (output !== undefined) inform(writtenText(output, byteCount, note));
    if (rowsNote !== undefined && !isTTY) inform(rowsNote);
    if (isTTY && summary !== undefined) process.stderr.write(`${summary(elapsedMs)}\n`);
  } catch (error) {
    await target.drop();
    if (output !== undefined && error === target.stream.errored) throw new OutputError(output, error);
    const by = stop.by();
    if (by === undefined) throw aboutRun(error, queryRunId);
    throw new StoppedError(by, `${stopText(by, timeoutSeconds)}${await runStateText()}`, queryRunId);
  } finally {
    progress.clear();
    stop.end();
  }

  async function runStateText(): Promise<string> {
    if (queryRunId === undefined) return "";
    if (isOpen) return ` Run ${queryRunId} has ended: \`quern result ${queryRunId}\` prints its result.`;
    if (withdraw === undefined) return ` Run ${queryRunId} is not stopped.`;
    return withdraw().then(
      () => ` The query of run ${queryRunId} is withdrawn.`,
      (error: unknown) =>
        ` The query of run ${queryRunId} could not be withdrawn: ${error instanceof Error ? error.message : error}.`,
    );
  }
}
