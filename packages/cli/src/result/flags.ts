import { type ConnectionFlags, connectionFlags } from "../connection/flags.ts";
import { type JsonFlag, jsonFlag, parseCount, parseFile } from "../flags.ts";
import { formatAliases, fullFlag, textFlags } from "../output/flags.ts";
import { type ResultFormat, resultFormats } from "../output/format.ts";
import { progressFlag } from "../run/flags.ts";

export interface ResultFlags extends ConnectionFlags, JsonFlag {
  readonly format?: ResultFormat;
  readonly output?: string;
  readonly full: boolean;
  readonly csv: boolean;
  readonly tsv?: boolean;
  readonly vertical?: boolean;
  readonly header?: boolean;
  readonly tuplesOnly?: boolean;
  readonly null?: string;
  readonly maxRows?: number;
  readonly progress?: boolean;
}

/** Flags of commands that print the result of a run. */
export const resultFlags = {
  format: {
    kind: "enum",
    values: resultFormats,
    optional: true,
    brief:
      "Output format. Default: json with --json, else by the extension of --output, else table on a terminal, else jsonl.",
  },
  output: {
    kind: "parsed",
    parse: parseFile,
    optional: true,
    placeholder: "file",
    brief:
      "File to write the result to, compressed if it ends in .gz or .zst, or - for stdout. It appears when it is complete. Default: stdout.",
  },
  ...fullFlag,
  ...textFlags,
  maxRows: {
    kind: "parsed",
    parse: parseMaxRows,
    optional: true,
    placeholder: "number",
    brief:
      "Print at most this many rows, or all; a line on stderr says how many there are. Default: 1,000 of a table on a terminal, else all.",
  },
  progress: {
    ...progressFlag.progress,
    brief: `${progressFlag.progress.brief} --no-progress also leaves out the lines on a reused result and a written file.`,
  },
  ...connectionFlags,
  ...jsonFlag,
} as const;

export const resultAliases = { ...formatAliases, o: "output" } as const;

/** Parses a number of rows, or `all`. @throws {SyntaxError} */
function parseMaxRows(text: string): number {
  return text === "all" ? Infinity : parseCount(text);
}
