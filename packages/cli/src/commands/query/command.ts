import { buildCommand, type Command } from "@stricli/core";
import type { Context } from "../../command-function.ts";
import { pairFlag, parseNumber, parseParameter } from "../../flags.ts";
import { resultAliases, resultFlags } from "../../result/flags.ts";
import { runTimeoutFlag } from "../../run/flags.ts";
import type { QueryFlags } from "./action.ts";

const text = { kind: "parsed", parse: String, optional: true } as const;
const number = { kind: "parsed", parse: parseNumber, optional: true, placeholder: "number" } as const;

/** `quern query`: runs a statement and prints its rows. */
export const queryCommand: Command<Context> = buildCommand<QueryFlags, [sql?: string], Context>({
  loader: async () => (await import("./action.ts")).runQuery,
  parameters: {
    flags: {
      param: {
        kind: "parsed",
        parse: parseParameter,
        optional: true,
        variadic: true,
        placeholder: "name=value",
        brief:
          "Value of a parameter: name=value for $name, 1=value for $1 or the first ?; may be repeated. Numbers, true, false and null keep their type; 'n=\"5\"' passes a text.",
      },
      maxAgeMinutes: {
        ...number,
        brief: "Accept a result that is at most this old, in minutes. Default: 0, which always runs the statement.",
      },
      resultTtlHours: { ...number, brief: "Time that the service keeps the result, in hours. Default: 1." },
      tag: {
        ...pairFlag,
        brief: "Label of the run, as key=value; may be repeated.",
      },
      dataSource: {
        ...text,
        placeholder: "name",
        brief: "Data source to query. Default: the default source of the service.",
      },
      dataProvider: { ...text, placeholder: "name", brief: "Provider of the data source." },
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
          brief: "SQL statement. Without it, or with -, the statement is read from stdin.",
        },
      ],
    },
    aliases: { ...resultAliases, p: "param" },
  },
  docs: {
    brief: "Run a statement and print its rows.",
    fullDescription: [
      "Runs a statement and prints its rows: a table on a terminal, else one JSON object a line.",
      "Ctrl-C, SIGTERM and SIGHUP withdraw the query: the service stops the run unless another request shares it.",
      "",
      "EXAMPLES",
      '  quern query "select origin, count(*) as cars from cars group by origin"',
      "  quern query 'select name from cars where origin = $origin' --param origin=Europe --format csv > cars.csv",
      "  quern query 'select * from cars' --format parquet --output cars.parquet",
      "  quern query - < report.sql",
      "",
      "EXIT CODES",
      "  0 success, 1 unexpected error, 2 usage, 3 missing or refused key, 4 the query failed, 5 it was canceled, 6 timeout,",
      "  7 no connection or an HTTP error, 8 another error of the service, 129, 130, 143 stopped by SIGHUP, SIGINT, SIGTERM",
    ].join("\n"),
  },
});
