import { parseNumber } from "../flags.ts";

type CsvOptions = NonNullable<import("@quern/server/sources").LoadRequest["csv"]>;

/** Flags of CSV files. */
export type CsvFlags = CsvOptions;

const text = { kind: "parsed", parse: String, optional: true } as const;

/** Flags of `quern sources add` for CSV files. */
export const csvFlags = {
  delimiter: {
    ...text,
    placeholder: "character",
    brief:
      "Character between the fields of CSV files; \\t for a tab. Default: tab for .tsv, otherwise the one of comma, semicolon, tab and | that fits the first rows.",
  },
  quote: {
    ...text,
    placeholder: "character",
    brief: "Character around fields of CSV files; '' for none. Default: a double quote.",
  },
  escape: {
    ...text,
    placeholder: "character",
    brief:
      "Character before a quote within a field of CSV files, such as a backslash. Default: the quote, so that it is doubled.",
  },
  header: {
    kind: "boolean",
    optional: true,
    brief: "The first row of CSV files has the names of the columns. Default: detected from the types of the values.",
  },
  skip: {
    kind: "parsed",
    parse: parseCount,
    optional: true,
    placeholder: "lines",
    brief: "Skip this number of lines at the start of CSV files. Default: 0.",
  },
  nullText: {
    ...text,
    variadic: true,
    placeholder: "text",
    brief: "Text of a field without quotes that is NULL in CSV files; may be repeated. Default: the empty text.",
  },
  encoding: {
    ...text,
    placeholder: "name",
    brief: "Encoding of CSV files, such as latin1. Default: UTF-8, or UTF-16 with a byte order mark.",
  },
  decimalSeparator: {
    kind: "enum",
    values: [".", ","],
    optional: true,
    brief: "Decimal separator of the numbers of CSV files. Default: a point.",
  },
  sample: {
    kind: "parsed",
    parse: parseCount,
    optional: true,
    placeholder: "rows",
    brief:
      "Detect the types of CSV files from this number of rows; a later row of another type is an error. Default: all rows.",
  },
  padRows: {
    kind: "boolean",
    optional: true,
    withNegated: false,
    brief: "Fill rows of CSV files that are too short with NULL. The output has their number.",
  },
  ignoreErrors: {
    kind: "boolean",
    optional: true,
    withNegated: false,
    brief:
      "Leave out rows of CSV files with too many or too few fields, or with broken quotes. The output has their number.",
  },
} as const;

function parseCount(value: string): number {
  const count = parseNumber(value);
  if (Number.isSafeInteger(count) && count >= 0) return count;
  throw new SyntaxError("expected a whole number from 0");
}

/** Returns the flags of CSV files that are given; undefined if there are none. */
export function csvOptions(flags: CsvFlags): CsvOptions | undefined {
  const names = Object.keys(csvFlags) as (keyof CsvFlags)[];
  const given = names.filter((name) => flags[name] !== undefined);
  if (given.length === 0) return undefined;
  const options: CsvOptions = Object.fromEntries(given.map((name) => [name, flags[name]]));
  return options.delimiter === "\\t" ? { ...options, delimiter: "\t" } : options;
}
