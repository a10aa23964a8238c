import { type JsonFlag, jsonFlag } from "../flags.ts";
import { type Format, formats } from "./format.ts";

export interface FormatFlags extends JsonFlag {
  readonly format?: Format;
  readonly full: boolean;
  readonly csv: boolean;
  readonly tsv?: boolean;
  readonly vertical?: boolean;
  readonly header?: boolean;
  readonly tuplesOnly?: boolean;
  readonly null?: string;
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

/** Flags of commands that print rows as text. */
export const textFlags = {
  csv: { kind: "boolean", default: false, withNegated: false, brief: "Short for --format csv." },
  tsv: { kind: "boolean", optional: true, withNegated: false, brief: "Short for --format tsv." },
  vertical: { kind: "boolean", optional: true, withNegated: false, brief: "Short for --format vertical." },
  header: {
    kind: "boolean",
    optional: true,
    brief: "Print the names of the columns in table, csv and tsv, and the headings in vertical. Default: true.",
  },
  tuplesOnly: { kind: "boolean", optional: true, withNegated: false, brief: "The same as --no-header." },
  null: {
    kind: "parsed",
    parse: String,
    optional: true,
    placeholder: "text",
    brief: "Text for NULL. Default: NULL in table, vertical and markdown; nothing in csv and tsv.",
  },
} as const;

/** Short forms, as in other command lines; `-f` names a file there. */
export const formatAliases = { F: "format", A: "tsv", x: "vertical", t: "tuplesOnly" } as const;

/** Returns the options of a text format that the flags set. */
export function textOptionsOf({
  header,
  tuplesOnly,
  null: nullText,
}: Pick<FormatFlags, "header" | "tuplesOnly" | "null">) {
  return { header: header ?? (tuplesOnly ? false : undefined), nullText };
}

/** Flags of commands that print rows. */
export const formatFlags = {
  format: {
    kind: "enum",
    values: formats,
    optional: true,
    brief: "Output format. Default: json with --json, else table on a terminal, else jsonl.",
  },
  ...fullFlag,
  ...textFlags,
  ...jsonFlag,
} as const;
