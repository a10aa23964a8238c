import { type JsonFlag, jsonFlag } from "../flags.ts";
import { type Format, formats } from "./format.ts";

export interface FormatFlags extends JsonFlag {
  readonly format?: Format;
  readonly full: boolean;
}

/** Flag of commands that print a table. */
export const fullFlag = {
  full: {
    kind: "boolean",
    default: false,
    withNegated: false,
    brief:
      "Print all columns and whole cells of a table. Default: a table on a terminal is cut to the width of the terminal.",
  },
} as const;

/** Flags of commands that print rows. */
export const formatFlags = {
  format: {
    kind: "enum",
    values: formats,
    optional: true,
    brief: "Output format. Default: json with --json, else table on a terminal, else jsonl.",
  },
  ...fullFlag,
  ...jsonFlag,
} as const;
