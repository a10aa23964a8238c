import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { type ResultFlags, resultAliases, resultFlags } from "../../result/flags.ts";
import { runTimeoutFlag } from "../../run/flags.ts";

/** `quern result`: prints the rows of a run. */
export const resultCommand: Command<Context> = buildCommand<ResultFlags, [queryRunId: string], Context>({
  loader: async () => (await import("./action.ts")).runResult,
  parameters: {
    flags: {
      ...resultFlags,
      timeoutSeconds: runTimeoutFlag("then the command ends, and the run continues"),
    },
    positional: {
      kind: "tuple",
      parameters: [{ parse: String, placeholder: "run", brief: "Id of the run; `quern runs list` prints the ids." }],
    },
    aliases: resultAliases,
  },
  docs: {
    brief: "Print the rows of a run.",
    fullDescription: [
      "Waits for a run to end, and prints its rows or writes them to a file.",
      "Ctrl-C stops the command but not the run; `quern runs cancel` stops the run.",
      "",
      "EXAMPLES",
      "  quern result run_8d41c7 --format csv > cars.csv",
      "  quern result run_8d41c7 --format parquet --output cars.parquet",
      "",
      "EXIT CODES",
      "  0 success, 1 unexpected error, 2 usage, 3 missing or refused key, 4 the query failed, 5 it was canceled, 6 timeout,",
      "  7 no connection or an HTTP error, 8 another error of the service, 129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM",
    ].join("\n"),
  },
});
