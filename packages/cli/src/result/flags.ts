import { type ConnectionFlags, connectionFlags } from "../connection/flags.ts";
import { type JsonFlag, jsonFlag } from "../flags.ts";
import { fullFlag } from "../output/flags.ts";
import { type ResultFormat, resultFormats } from "../output/format.ts";
import { progressFlag } from "../run/flags.ts";

export interface ResultFlags extends ConnectionFlags, JsonFlag {
  readonly format?: ResultFormat;
  readonly output?: string;
  readonly full: boolean;
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
    parse: String,
    optional: true,
    placeholder: "file",
    brief:
      "File to write the result to, compressed if it ends in .gz or .zst. It appears when it is complete. Default: stdout.",
  },
  ...fullFlag,
  ...progressFlag,
  ...connectionFlags,
  ...jsonFlag,
} as const;

export const resultAliases = { f: "format", o: "output" } as const;
