import { resumeQuery } from "@quern/client";
import { type Context, commandFunction } from "../../command-function.ts";
import type { ResultFlags } from "../../result/flags.ts";
import { printResult } from "../../result/print-result.ts";
import { succeededRun } from "../../run/wait.ts";

export const runResult = commandFunction(async (context: Context, flags: ResultFlags, queryRunId: string) => {
  await printResult(context, flags, {
    async open({ client, isPaged, signal, onState }) {
      const options = { signal, timeoutMs: Infinity };
      if (isPaged) return resumeQuery(client, queryRunId, { ...options, onState });
      await succeededRun(client, queryRunId, { ...options, onRun: ({ state }) => onState(state, queryRunId) });
      return { queryRunId };
    },
  });
});
