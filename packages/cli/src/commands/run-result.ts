import { resumeQuery } from "@quern/client";
import { commandFunction } from "../command-function.ts";
import type { Context } from "../context.ts";
import type { ResultFlags } from "./result-flags.ts";
import { printResult } from "./result-printing.ts";

export const runResult = commandFunction(async (context: Context, flags: ResultFlags, queryRunId: string) => {
  await printResult(context, flags, {
    fate: "is not stopped",
    open: ({ client, pageSize, signal, onState }) =>
      resumeQuery(client, queryRunId, { pageSize, signal, onState, timeoutMs: Infinity }),
  });
});
