import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { connectionFlags } from "../../connection/flags.ts";
import { jsonFlag, parseFile } from "../../flags.ts";
import { sourceFlags } from "../../statement/flags.ts";
import type { TypesFlags } from "./action.ts";

/** `quern types`: writes TypeScript for files of statements. */
export const typesCommand: Command<Context> = buildCommand<TypesFlags, string[], Context>({
  loader: async () => (await import("./action.ts")).runTypes,
  parameters: {
    flags: {
      check: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Compare the files with the snapshot, without the service, and write nothing.",
      },
      snapshot: {
        kind: "parsed",
        parse: parseFile,
        optional: true,
        placeholder: "file",
        brief:
          "File with the descriptions of the statements. Default: quern-types.json in the folder that the patterns share.",
      },
      ...sourceFlags,
      ...connectionFlags,
      ...jsonFlag,
    },
    positional: {
      kind: "array",
      minimum: 1,
      parameter: {
        parse: String,
        placeholder: "pattern",
        brief: 'Pattern of files that end in .sql, in quotes, such as "queries/**/*.sql".',
      },
    },
  },
  docs: {
    brief: "Write TypeScript beside files of statements: the types of rows and parameters, and a schema.",
    fullDescription: [
      "Writes a file x.sql.ts beside each file x.sql: the type of a row, the type of the parameters, the text of the statement,",
      "and a Standard Schema that checks the rows. The service describes the statements and does not run them.",
      "A snapshot keeps the descriptions. Commit it with the files: with it, --check finds stale files without a service.",
      "",
      "EXAMPLES",
      '  quern types "queries/**/*.sql"',
      '  quern types "queries/**/*.sql" --data-source samples',
      '  quern types "queries/**/*.sql" --check',
      "",
      "EXIT CODES",
      "  0 success, 4 a statement is not valid, or --check has found a stale file, and the other exit codes of `quern query`",
    ].join("\n"),
  },
});
