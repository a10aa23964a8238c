import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { formatAliases, formatFlags } from "../../output/flags.ts";
import { tableSourceFlags } from "../../statement/flags.ts";
import type { TablesFlags } from "../tables/action.ts";

/** `quern describe`: lists the columns of a table or of a statement. */
export const describeCommand: Command<Context> = buildCommand<TablesFlags, [subject: string], Context>({
  loader: async () => (await import("./action.ts")).runDescribe,
  parameters: {
    flags: { ...tableSourceFlags, ...connectionFlags, ...formatFlags },
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
    aliases: formatAliases,
  },
  docs: {
    brief: "List the columns of a table or a statement, with their types.",
    fullDescription: [
      "Lists the columns of a table or a view, with their types and comments. Of a statement, it lists those of the result, and",
      "does not run it.",
      "",
      "EXAMPLES",
      "  quern describe cars",
      '  quern describe "select origin, count(*) from cars group by origin"',
    ].join("\n"),
  },
});
