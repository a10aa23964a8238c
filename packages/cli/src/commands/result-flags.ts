import { type JsonFlag, jsonFlag } from "../command-function.ts";
import { type ConnectionFlags, connectionFlags } from "../connection.ts";
import { type ResultFormat, resultFormats } from "../output/format.ts";

export interface ResultFlags extends ConnectionFlags, JsonFlag {
  readonly format?: ResultFormat;
  readonly output?: string;
  readonly full: boolean;
  readonly progress?: boolean;
}

/** The flag of commands that print a table. */
export const fullFlag = {
  full: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief: "Print the cells of a table whole; by default a table on a terminal is shortened to fit.",
  },
} as const;

/** The flag of commands that wait for a run. */
export const progressFlag = {
  progress: {
    kind: "boolean",
    optional: true,
    brief: "Show the state of the run on stderr; by default only where stdout and stderr are terminals.",
  },
} as const;

/** The flags of commands that print the result of a run. */
export const resultFlags = {
  format: {
    kind: "enum",
    values: resultFormats,
    optional: true,
    brief:
      "Form of the rows. Default: json with --json, else that of the file's ending; without one, table on a terminal, else jsonl.",
  },
  output: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "file",
    brief: "File for the result, in place of stdout. It gets its name when it is complete.",
  },
  ...fullFlag,
  ...progressFlag,
  ...connectionFlags,
  ...jsonFlag,
} as const;

export const resultAliases = { f: "format", o: "output" } as const;
