import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { parseFile } from "../../flags.ts";
import { resultAliases, resultFlags } from "../../result/flags.ts";
import { runTimeoutFlag } from "../../run/flags.ts";
import { statementFlags, withFlag } from "../../statement/flags.ts";
import { type QueryFlags, runQuery } from "./action.ts";

/** `quern query`: runs a statement and prints its rows. */
export const queryCommand: Command<Context> = buildCommand<QueryFlags, [sql?: string], Context>({
  func: runQuery,
  parameters: {
    flags: {
      command: {
        kind: "parsed",
        parse: String,
        optional: true,
        placeholder: "sql",
        brief: "SQL to run, in place of the argument.",
      },
      file: {
        kind: "parsed",
        parse: parseFile,
        optional: true,
        placeholder: "file",
        brief: "File with the SQL to run, or - for stdin.",
      },
      stopOnError: {
        kind: "boolean",
        default: false,
        withNegated: false,
        brief: "Of several statements, run none after one that fails. Default: the next ones run.",
      },
      ...withFlag,
      ...statementFlags,
      ...resultFlags,
      timeoutSeconds: runTimeoutFlag("then the query is withdrawn"),
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          parse: String,
          optional: true,
          placeholder: "sql",
          brief:
            "SQL statement, or several with semicolons between them. Without it, or with -, they are read from stdin.",
        },
      ],
    },
    aliases: { ...resultAliases, p: "param", c: "command", f: "file" },
  },
  docs: {
    brief: 'Run a statement and print its rows; `quern "select 1"` does the same.',
    fullDescription: [
      "Runs a statement and prints its rows: a table on a terminal, else one JSON object a line.",
      'The word query can be omitted: `quern "select 1"` and `quern -c "select 1"` do the same. Of several statements, each',
      "result is printed, and the exit code is that of the first one that fails.",
      "Ctrl-C, SIGTERM and SIGHUP withdraw the query: the service stops the run unless another request shares it.",
      "",
      "EXAMPLES",
      '  quern query "select origin, count(*) as cars from cars group by origin"',
      "  quern query 'select name from cars where origin = $origin' --param origin=Europe --format csv > cars.csv",
      "  quern query 'select * from cars' --format parquet --output cars.parquet",
      '  quern query --with regions=./regions.csv "select * from cars join regions using (origin)"',
      "  quern query -f report.sql --stop-on-error",
      '  quern query -At "select count(*) from cars"',
      "  quern query 'select * from cars' --csv --null NULL --max-rows 10",
      "",
      "EXIT CODES",
      "  0 success, 1 unexpected error, 2 usage, 3 missing or refused key, 4 the query failed, 5 it was canceled, 6 timeout,",
      "  7 no connection or an HTTP error, 8 another error of the service, 129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM",
    ].join("\n"),
  },
});
