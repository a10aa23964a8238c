import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { formatAliases, formatFlags } from "../../output/flags.ts";
import { tableSourceFlags } from "../../statement/flags.ts";
import type { TablesFlags } from "./action.ts";

/** `quern tables`: lists the tables that the caller may query. */
export const tablesCommand: Command<Context> = buildCommand<TablesFlags, [pattern?: string], Context>({
  loader: async () => (await import("./action.ts")).runTables,
  parameters: {
    flags: { ...tableSourceFlags, ...connectionFlags, ...formatFlags },
    positional: {
      kind: "tuple",
      parameters: [
        {
          parse: String,
          optional: true,
          placeholder: "pattern",
          brief: "Part of the name, or the whole name with * for any text and ? for one character.",
        },
      ],
    },
    aliases: formatAliases,
  },
  docs: {
    brief: "List the tables and views.",
    fullDescription: [
      "Lists the tables and views that the user of the key may query, with the estimated numbers of their rows.",
      "If no table has a matching name, those with a matching column are listed.",
      "A pattern with a dot is compared with the name after its schema, or after its catalog and schema.",
      "",
      "EXAMPLES",
      "  quern tables",
      '  quern tables "car*" --format csv',
    ].join("\n"),
  },
});
