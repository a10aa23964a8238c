import { extname } from "node:path";

/** Forms that rows are written in. The writers are loaded when one is needed. */
export const formats = ["table", "csv", "json", "jsonl"] as const;

export type Format = (typeof formats)[number];

/** Forms that only the service writes, as bytes. */
const binaryFormats = ["parquet", "arrow"] as const;

export type BinaryFormat = (typeof binaryFormats)[number];

/** All forms of the result of a query. */
export const resultFormats = [...formats, ...binaryFormats] as const;

export type ResultFormat = (typeof resultFormats)[number];

export function isBinary(format: ResultFormat): format is BinaryFormat {
  return binaryFormats.some((each) => each === format);
}

interface FormatChoice<Name> {
  readonly format?: Name;
  readonly json: boolean;
}

const formatsByEnding: Readonly<Record<string, ResultFormat>> = {
  ".csv": "csv",
  ".json": "json",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".parquet": "parquet",
  ".arrow": "arrow",
};

/** Returns the form that the ending of a file's name stands for. */
export function formatOf(file = ""): ResultFormat | undefined {
  return formatsByEnding[extname(file).toLowerCase()];
}

/** The form that was chosen by `--format` or `--json`; by default a table on a terminal, an object a line elsewhere. */
export function chosenFormat<Name extends ResultFormat = Format>(
  { format, json }: FormatChoice<Name>,
  stdout: { readonly isTTY?: boolean },
): Name | Format {
  return format ?? (json ? "json" : stdout.isTTY ? "table" : "jsonl");
}
