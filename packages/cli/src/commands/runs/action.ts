import { getQueryRun, listQueryRuns } from "@quern/client";
import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import { withProfileFormat } from "../../connection/resolve.ts";
import { aboutRun, StoppedError, UsageError } from "../../errors/cli-error.ts";
import type { JsonFlag } from "../../flags.ts";
import type { FormatFlags } from "../../output/flags.ts";
import { chosenFormat } from "../../output/format.ts";
import { rowWriter, writeRows } from "../../output/rows.ts";
import { write } from "../../output/target.ts";
import { listedRuns, runTimeoutSeconds } from "../../run/flags.ts";
import { createProgress } from "../../run/progress.ts";
import { oneLine, runRow, sqlOfRuns } from "../../run/row.ts";
import { stateWord } from "../../run/state.ts";
import { startStop, stopText } from "../../run/stop.ts";
import { readStatus, succeededRun } from "../../run/wait.ts";

type QueryRun = Awaited<ReturnType<typeof succeededRun>>;

type RunFlags = ConnectionFlags & JsonFlag;

export interface ListRunsFlags extends ConnectionFlags, FormatFlags {
  readonly state?: readonly (readonly string[])[];
  readonly tag?: readonly (readonly [string, string])[];
  readonly since?: string;
  readonly until?: string;
  readonly text?: string;
  readonly limit: number;
  readonly ids: boolean;
  readonly sql: boolean;
}

export type ShowRunFlags = RunFlags & { readonly sql: boolean };

export type WaitFlags = RunFlags & { readonly progress?: boolean };

const largestPage = 1_000;

export const runListRuns = commandFunction(async (context: Context, flags: ListRunsFlags) => {
  const client = await connect(flags, context);
  const { state, tag, since, until, text, limit } = flags;
  const conditions = { states: state?.flat(), tags: tag && Object.fromEntries(tag), since, until, text };
  const runs: QueryRun[] = [];
  let cursor: string | undefined;
  do {
    const page = { limit: Math.min(limit - runs.length, largestPage), cursor };
    const { queryRuns, nextCursor } = await listQueryRuns(client, { ...conditions, ...page }, timeoutOf(flags));
    runs.push(...queryRuns);
    cursor = nextCursor ?? undefined;
  } while (cursor !== undefined && runs.length < limit);
  // The caller that sets another limit knows that it cuts the list.
  const isCut = limit === listedRuns && cursor !== undefined && !flags.json;
  const inform = () => void (isCut && context.process.stderr.write(`the newest ${limit} runs; --limit lists more\n`));
  if (flags.ids) return write(context.process.stdout, runs.map(({ id }) => `${id}\n`).join("")).then(inform);
  const all = await withProfileFormat(context, flags);
  const texts = flags.sql ? await sqlOfRuns(client, runs, timeoutOf(flags)) : undefined;
  const isShort = !flags.full && chosenFormat(all, context.process.stdout) === "table";
  const rows = runs.map((run) => {
    const sql = texts?.get(run.sqlStatementId);
    return { ...runRow(run), sql: isShort && sql !== undefined ? oneLine(sql) : sql };
  });
  const names = ["id", "state", "sql", "created_at", "elapsed_seconds", "rows", "data_source", "tags", "error"];
  await writeRows(context, all, flags.sql ? names : names.filter((name) => name !== "sql"), rows);
  inform();
});

export const runShowRun = commandFunction(async (context: Context, flags: ShowRunFlags, queryRunId: string) => {
  const { stdout } = context.process;
  const client = await connect(flags, context);
  const { queryRun: found } = await getQueryRun(client, { queryRunId }, timeoutOf(flags));
  const texts = await sqlOfRuns(client, [found], timeoutOf(flags));
  const sql = texts.get(found.sqlStatementId) ?? null;
  if (flags.sql) {
    if (sql === null) throw new UsageError(`the statement of run ${queryRunId} is not known any more`);
    return write(stdout, flags.json ? `${JSON.stringify({ sql })}\n` : `${sql.trimEnd()}\n`);
  }
  const { id, state, ...others } = found;
  const queryRun = { id, state: stateWord(state), sql, ...others };
  if (chosenFormat(flags, stdout) !== "table") return write(stdout, `${JSON.stringify(queryRun, null, 2)}\n`);
  const columns = ["member", "value"].map((name) => ({ name, key: name, type: "string" }));
  const writer = rowWriter("table", columns);
  const known = Object.entries(queryRun).filter(([, value]) => value !== null);
  await write(stdout, writer.page(known));
});

export const runWaitForRun = commandFunction(async (context: Context, flags: WaitFlags, queryRunId: string) => {
  const { process } = context;
  const client = await connect(flags, context);
  const progress = createProgress(process, flags.progress);
  const { timeoutSeconds = runTimeoutSeconds } = flags;
  const stop = startStop(process, timeoutSeconds, () => progress.clear());
  try {
    const signal = AbortSignal.any([stop.signal, stop.deadline]);
    const onRun = (run: QueryRun) => progress.run(queryRunId, run, () => readStatus(client, queryRunId));
    const queryRun = await succeededRun(client, queryRunId, { signal, onRun });
    progress.clear();
    const word = stateWord(queryRun.state);
    await write(process.stdout, flags.json ? `${JSON.stringify(queryRun, null, 2)}\n` : `${word}\n`);
  } catch (error) {
    const by = stop.by();
    if (by === undefined) throw aboutRun(error, queryRunId);
    throw new StoppedError(by, `${stopText(by, timeoutSeconds)} Run ${queryRunId} is not stopped.`, queryRunId);
  } finally {
    progress.clear();
    stop.end();
  }
});
