import { type Client, cancelQueryRun, listQueryRuns, type QuernError } from "@quern/client";
import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import { UsageError } from "../../errors/cli-error.ts";
import type { JsonFlag } from "../../flags.ts";
import { writeDone } from "../../output/rows.ts";
import { clipped } from "../../output/text-width.ts";
import { oneLine, sqlOfRuns } from "../../run/row.ts";
import { stateWord, unfinishedStates } from "../../run/state.ts";

export type CancelFlags = ConnectionFlags & JsonFlag;

/** Errors of `cancelQueryRun` about the run or its id. */
const errorsOfRun: readonly string[] = ["QueryRunNotFound", "QueryRunInvalidStateToCancel", "InvalidParams"];

export const runCancelRuns = commandFunction(async (context: Context, flags: CancelFlags, ...queryRunIds: string[]) => {
  if (queryRunIds.length === 0) throw new UsageError("missing argument: run; `quern runs list` prints the ids");
  await cancelRuns(context, flags, await connect(flags, context), queryRunIds);
});

export const runCancel = commandFunction(async (context: Context, flags: CancelFlags, ...queryRunIds: string[]) => {
  const client = await connect(flags, context);
  await cancelRuns(context, flags, client, queryRunIds.length > 0 ? queryRunIds : [await onlyRun(client, flags)]);
});

/** Width of the SQL of a run in an error. */
const sqlColumns = 40;

/** Number of runs that an error lists. */
const listedRuns = 5;

/** Returns the id of the only unfinished run. @throws {UsageError} There is none, or there are several. */
async function onlyRun(client: Client, flags: CancelFlags): Promise<string> {
  const options = timeoutOf(flags);
  const conditions = { states: unfinishedStates, limit: listedRuns };
  const { queryRuns, nextCursor } = await listQueryRuns(client, conditions, options);
  const [only, second] = queryRuns;
  if (only === undefined)
    throw new UsageError("missing argument: run; no run is queued or running, and `quern runs list` lists all runs");
  if (second === undefined) return only.id;
  const texts = await sqlOfRuns(client, queryRuns, options);
  const names = queryRuns.map(({ id, state, sqlStatementId }) => {
    const sql = oneLine(texts.get(sqlStatementId) ?? "");
    return `${id} (${stateWord(state)}: ${clipped(sql, sqlColumns)})`;
  });
  const more = nextCursor == null ? "" : " and more";
  throw new UsageError(
    `missing argument: run; write one of ${names.join(", ")}${more}, or see \`quern runs list --state queued,running\``,
  );
}

async function cancelRuns(context: Context, flags: CancelFlags, client: Client, queryRunIds: readonly string[]) {
  const canceled: string[] = [];
  let failure: unknown;
  for (const queryRunId of queryRunIds) {
    try {
      await cancelQueryRun(client, { queryRunId }, timeoutOf(flags));
      canceled.push(queryRunId);
    } catch (error) {
      const { errorName, message } = error as QuernError; // the client throws only this class
      failure ??= Object.assign(error as QuernError, { message: `run ${queryRunId}: ${message}` });
      // Any other error would repeat for the next run.
      if (errorName === undefined || !errorsOfRun.includes(errorName)) break;
    }
  }
  if (canceled.length > 0) await writeDone(context, flags, "canceled", canceled);
  if (failure !== undefined) throw failure;
}
