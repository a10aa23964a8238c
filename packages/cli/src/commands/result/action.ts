import { type Client, listQueryRuns, resumeQuery } from "@quern/client";
import { type Context, commandFunction } from "../../command-function.ts";
import { withProfile } from "../../connection/resolve.ts";
import { UsageError } from "../../errors/cli-error.ts";
import type { ResultFlags } from "../../result/flags.ts";
import { printResult } from "../../result/print-result.ts";
import { succeededRun } from "../../run/wait.ts";

export interface LastResultFlags extends ResultFlags {
  readonly last: boolean;
}

export const runResult = commandFunction(async (context: Context, flags: LastResultFlags, id?: string) => {
  if (id !== undefined && flags.last) throw new UsageError("a run and --last are given; omit one of them");
  if (id === undefined && !flags.last)
    throw new UsageError("missing argument: run; write its id, or --last for the newest run");
  await printResult(context, await withProfile(context, flags), {
    async open({ client, isPaged, signal, onState }) {
      const queryRunId = id ?? (await newestRun(client, signal));
      const options = { signal, timeoutMs: Infinity };
      if (isPaged) return resumeQuery(client, queryRunId, { ...options, onState });
      await succeededRun(client, queryRunId, { ...options, onRun: ({ state }) => onState(state, queryRunId) });
      return { queryRunId };
    },
  });
});

/** @throws {UsageError} There is no run. */
async function newestRun(client: Client, signal: AbortSignal): Promise<string> {
  const { queryRuns } = await listQueryRuns(client, { limit: 1 }, { signal });
  const [newest] = queryRuns;
  if (newest === undefined) throw new UsageError('there is no run yet; run a statement with `quern "select 1"`');
  return newest.id;
}
