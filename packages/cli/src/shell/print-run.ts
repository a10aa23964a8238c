import { type QueryRun, resumeQuery } from "@quern/client";
import { UsageError } from "../errors/cli-error.ts";
import { chosenFormat, type Format, type ResultFormat } from "../output/format.ts";
import type { ResultFlags } from "../result/flags.ts";
import { printResultOf, type ResultSource } from "../result/print-result.ts";
import { secondsText } from "../run/progress.ts";
import { statementSource } from "../statement/run-statement.ts";
import { isExplain, usedParameters } from "../statement/run-statements.ts";
import type { Session } from "./session.ts";
import { separate, withOutput } from "./shell-output.ts";
import type { Work } from "./work.ts";

/** Differences of one output from the settings. */
export interface PrintOptions {
  readonly format?: Format | undefined;
  /** @default the limit of the settings */
  readonly maxRows?: number | undefined;
  /** Prints whole cells and all columns. */
  readonly full?: boolean;
}

const advice = { full: "\\last full", rows: "\\last all prints all" };

/** Runs a statement and prints its result. */
export async function printStatement(session: Session, work: Work, sql: string): Promise<void> {
  session.lastStatement = sql;
  const { dataSource, dataProvider, variables } = session.settings;
  const request = {
    ...usedParameters([...variables], sql),
    ...(dataSource !== undefined && { dataSource }),
    ...(dataProvider !== undefined && { dataProvider }),
  };
  await print(session, work, statementSource(request, sql), sql, {});
}

/** Prints the result of the last run again. @throws {UsageError} There is none. */
export async function printLast(session: Session, work: Work, options: PrintOptions): Promise<void> {
  const { client, lastRunId, lastStatement = "" } = session;
  if (lastRunId === undefined) throw new UsageError("there is no result yet; run a statement");
  const open: ResultSource["open"] = ({ signal, onState }) =>
    resumeQuery(client, lastRunId, { signal, timeoutMs: Infinity, onState });
  await print(session, work, { open }, lastStatement, options);
}

async function print(
  session: Session,
  work: Work,
  source: ResultSource,
  sql: string,
  options: PrintOptions,
): Promise<void> {
  const { settings, file } = session;
  const flags = flagsOf(session, sql, options);
  let run: QueryRun | undefined;
  await withOutput(session, work, (streams) =>
    printResultOf(session.client, streams, flags, {
      ...source,
      advice,
      async open(opening) {
        const opened = await source.open(opening);
        session.lastRunId = opened.queryRunId;
        run = "queryRun" in opened ? opened.queryRun : undefined;
        if (flags.output === undefined)
          await separate(session, streams.stdout, chosenFormat<ResultFormat>(flags, streams.stdout));
        return opened;
      },
    }),
  );
  if (file?.kind === "one") {
    session.file = undefined;
    session.inform("the file is complete; the next results are printed again");
  }
  if (settings.timing && run !== undefined) session.inform(timeText(run));
}

const layoutFormats = { on: "vertical", auto: "fitted", off: "table" } as const;

/** Returns the flags of a result, for the settings and the place that it is printed to. */
function flagsOf(session: Session, sql: string, options: PrintOptions): ResultFlags {
  const { process, settings, flags, file, isInteractive } = session;
  const isOnTerminal = isInteractive && file === undefined;
  // The extension of a file goes before the format of the settings.
  const format = options.format ?? (file === undefined ? settings.format : file.format);
  const maxRows = "maxRows" in options ? options.maxRows : isOnTerminal ? settings.maxRows : flags.maxRows;
  const { format: _, maxRows: __, ...rest } = flags;
  const chosen: ResultFlags = {
    ...rest,
    csv: false,
    json: flags.json && !isInteractive,
    full: flags.full || options.full === true,
    ...(format !== undefined && { format }),
    ...(maxRows !== undefined && { maxRows }),
    ...(file?.kind === "one" && { output: file.file }),
    // A terminal of this kind cannot replace its last line.
    ...(process.env.TERM === "dumb" && { progress: false }),
  };
  if (!isOnTerminal || format !== undefined) return chosen;
  return { ...chosen, format: isExplain(sql) ? "plan" : layoutFormats[settings.expanded] };
}

/** Returns the times that the service has measured. */
function timeText({ createdAt, startedAt, endedAt }: QueryRun): string {
  const start = Date.parse(createdAt);
  const end = Date.parse(endedAt ?? createdAt);
  const begun = Date.parse(startedAt ?? endedAt ?? createdAt);
  return `time: ${secondsText(begun - start)} queued, ${secondsText(end - begun)} executing`;
}
