import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { resultAliases, resultFlags } from "../../result/flags.ts";
import { runArgument, runTimeoutFlag } from "../../run/flags.ts";
import type { LastResultFlags } from "./action.ts";

/** `quern result`: prints the rows of a run. */
export const resultCommand: Command<Context> = buildCommand<LastResultFlags, [queryRunId?: string], Context>({
  loader: async () => (await import("./action.ts")).runResult,
  parameters: {
    flags: {
      last: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Take the newest run that `quern runs list` prints, in place of an id.",
      },
      ...resultFlags,
      timeoutSeconds: runTimeoutFlag("then the command ends, and the run continues"),
    },
    positional: {
      kind: "tuple",
      parameters: [{ ...runArgument, optional: true }],
    },
    aliases: resultAliases,
  },
  docs: {
    brief: "Print the rows of a run; `quern last` prints those of the newest one.",
    fullDescription: [
      "Waits for a run to end, and prints its rows or writes them to a file.",
      "Ctrl-C stops the command but not the run; `quern runs cancel` stops the run.",
      "",
      "EXAMPLES",
      "  quern result run_8d41c7 --format csv > cars.csv",
      "  quern result --last --vertical",
      "  quern result run_8d41c7 --format parquet --output cars.parquet",
      "",
      "EXIT CODES",
      "  0 success, 1 unexpected error, 2 usage, 3 missing or refused key, 4 the query failed, 5 it was canceled, 6 timeout,",
      "  7 no connection or an HTTP error, 8 another error of the service, 129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM",
    ].join("\n"),
  },
});
