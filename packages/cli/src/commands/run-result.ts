import { resumeQuery } from "@quern/client";
import { commandFunction } from "../command-function.ts";
import type { Context } from "../context.ts";
import type { ResultFlags } from "./result-flags.ts";
import { printResult } from "./result-printing.ts";
import { succeededRun } from "./succeeded-run.ts";

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
