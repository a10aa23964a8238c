import { cancelQueryRun, type QuernError } from "@quern/client";
import { type Context, commandFunction } from "../../command-function.ts";
import { connect, timeoutOf } from "../../connection/connect.ts";
import type { ConnectionFlags } from "../../connection/flags.ts";
import type { JsonFlag } from "../../flags.ts";
import { writeDone } from "../../output/rows.ts";

export type CancelFlags = ConnectionFlags & JsonFlag;

/** Errors of `cancelQueryRun` about the run or its id. */
const errorsOfRun: readonly string[] = ["QueryRunNotFound", "QueryRunInvalidStateToCancel", "InvalidParams"];

export const runCancelRuns = commandFunction(async (context: Context, flags: CancelFlags, ...queryRunIds: string[]) => {
  const client = await connect(flags, context);
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
});
