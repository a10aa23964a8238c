import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { resultAliases, resultFlags } from "../../result/flags.ts";
import { runTimeoutFlag } from "../../run/flags.ts";
import { statementFlags } from "../../statement/flags.ts";
import type { SummarizeFlags } from "./action.ts";

/** `quern summarize`: prints statistics of the columns of a table or a statement. */
export const summarizeCommand: Command<Context> = buildCommand<SummarizeFlags, [subject: string], Context>({
  loader: async () => (await import("./action.ts")).runSummarize,
  parameters: {
    flags: { ...statementFlags, ...resultFlags, timeoutSeconds: runTimeoutFlag("then the query is withdrawn") },
    positional: {
      kind: "tuple",
      parameters: [
        {
          parse: String,
          placeholder: "table",
          brief: "Name of a table, such as cars or main.cars, or a statement in quotes.",
        },
      ],
    },
    aliases: { ...resultAliases, p: "param" },
  },
  docs: {
    brief: "Print statistics of each column of a table or a statement.",
    fullDescription: [
      "Prints a row for each column of a table or a statement: its type, the least and the largest value, the number of different",
      "values, the mean, the quartiles, and the share of NULL. It needs a data source of DuckDB.",
      "",
      "EXAMPLES",
      "  quern summarize cars --format vertical",
      '  quern summarize "select * from cars where year > 1975" --csv',
    ].join("\n"),
  },
});
