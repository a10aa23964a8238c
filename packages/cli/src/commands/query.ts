import { buildCommand, type Command } from "@stricli/core";
import { jsonFlag } from "../command-function.ts";
import { connectionFlags } from "../connection.ts";
import type { Context } from "../context.ts";
import { parseNumber, parsePair, parseParameter } from "../method-params.ts";
import { resultFormats } from "../output/format.ts";
import type { QueryFlags } from "./run-query.ts";

const text = { kind: "parsed", parse: String, optional: true } as const;
const number = { kind: "parsed", parse: parseNumber, optional: true, placeholder: "number" } as const;

/** `quern query`: runs a statement and prints its rows. */
export const queryCommand: Command<Context> = buildCommand<QueryFlags, [sql?: string], Context>({
  loader: async () => (await import("./run-query.ts")).runQuery,
  parameters: {
    flags: {
      format: {
        kind: "enum",
        values: resultFormats,
        optional: true,
        brief: "Form of the rows; a table on a terminal, else jsonl.",
      },
      output: {
        ...text,
        placeholder: "file",
        brief: "File that the result is written to, in place of stdout; it is there once it is whole.",
      },
      param: {
        kind: "parsed",
        parse: parseParameter,
        optional: true,
        variadic: true,
        placeholder: "name=value",
        brief:
          "Value of $name in the statement, or of $1 and ? by its number. A number, true, false and null are these; quote them ('n=\"5\"') for a text.",
      },
      maxAgeMinutes: {
        ...number,
        brief: "Accept a result that is not older than this; 0, the default, always runs the statement.",
      },
      resultTtlHours: { ...number, brief: "How long the service keeps the result; 1 by default." },
      tag: {
        kind: "parsed",
        parse: parsePair,
        optional: true,
        variadic: true,
        placeholder: "key=value",
        brief: "Label of the run.",
      },
      dataSource: {
        ...text,
        placeholder: "name",
        brief: "Where the statement runs; the service's default source without it.",
      },
      dataProvider: { ...text, placeholder: "name", brief: "Who offers the data source." },
      ...connectionFlags,
      timeoutSeconds: {
        ...connectionFlags.timeoutSeconds,
        brief: "Stop waiting for the result, and withdraw the query, after this long; 1,200 by default.",
      },
      ...jsonFlag,
    },
    positional: {
      kind: "tuple",
      parameters: [
        {
          parse: String,
          optional: true,
          placeholder: "sql",
          brief: "The statement; - or nothing reads it from stdin.",
        },
      ],
    },
    aliases: { f: "format", o: "output", p: "param" },
  },
  docs: {
    brief: "Run a statement and print its rows.",
    fullDescription: [
      "Runs a statement and prints its rows: a table on a terminal, one JSON object a line into a pipe or file.",
      "Ctrl-C withdraws the query; the service stops it unless somebody else waits for it.",
      "",
      "EXAMPLES",
      '  quern query "select origin, count(*) as cars from cars group by origin"',
      "  quern query 'select name from cars where origin = $origin' --param origin=Europe --format csv > cars.csv",
      "  quern query 'select * from cars' --format parquet --output cars.parquet",
      "  quern query - < report.sql",
      "",
      "EXIT CODES",
      "  0 done, 2 usage, 3 key, 4 the query failed, 5 it was canceled, 6 timeout, 7 no connection, 8 another error of the",
      "  service, 130 Ctrl-C, 1 unexpected",
    ].join("\n"),
  },
});
