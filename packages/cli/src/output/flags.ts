import { type JsonFlag, jsonFlag } from "../flags.ts";
import { type Format, formats } from "./format.ts";

export interface FormatFlags extends JsonFlag {
  readonly format?: Format;
  readonly full: boolean;
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

/** The flags of commands that print rows. */
export const formatFlags = {
  format: {
    kind: "enum",
    values: formats,
    optional: true,
    brief: "Form of the rows. Default: table on a terminal, json with --json, else jsonl.",
  },
  ...fullFlag,
  ...jsonFlag,
} as const;
