import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag } from "../../flags.ts";
import { progressFlag, runTimeoutFlag } from "../../run/flags.ts";
import { paramFlag, sourceFlags } from "../../statement/flags.ts";
import type { ExplainFlags } from "./action.ts";

/** `quern explain`: prints the plan of a statement. */
export const explainCommand: Command<Context> = buildCommand<ExplainFlags, [sql?: string], Context>({
  loader: async () => (await import("./action.ts")).runExplain,
  parameters: {
    flags: {
      analyze: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Run the statement, and print the plan with the times and rows of its steps.",
      },
      ...paramFlag,
      ...sourceFlags,
      ...progressFlag,
      ...connectionFlags,
      ...jsonFlag,
      timeoutSeconds: runTimeoutFlag("then the query is withdrawn"),
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          parse: String,
          optional: true,
          placeholder: "sql",
          brief: "SQL statement. Without it, or with -, the statement is read from stdin.",
        },
      ],
    },
    aliases: { p: "param" },
  },
  docs: {
    brief: "Print the plan of a statement.",
    fullDescription: [
      "Prints the plan of a statement as the engine lays it out. With --json, it prints the rows of the plan.",
      "",
      "EXAMPLES",
      '  quern explain "select origin, count(*) from cars group by origin"',
      '  quern explain --analyze "select * from cars where horsepower > 100"',
    ].join("\n"),
  },
});
