import { extname } from "node:path";

/** Text formats, which the CLI can write itself. */
export const formats = ["table", "csv", "json", "jsonl"] as const;

export type Format = (typeof formats)[number];

/** Formats that only the service writes, as bytes. */
const binaryFormats = ["parquet", "arrow"] as const;

export type BinaryFormat = (typeof binaryFormats)[number];

/** Formats of the result of a query. */
export const resultFormats = [...formats, ...binaryFormats] as const;

export type ResultFormat = (typeof resultFormats)[number];

export function isBinary(format: ResultFormat): format is BinaryFormat {
  return binaryFormats.some((each) => each === format);
}

interface FormatChoice<Name> {
  readonly format?: Name;
  readonly json: boolean;
}

const formatsByExtension: Readonly<Record<string, ResultFormat>> = {
  ".csv": "csv",
  ".json": "json",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".parquet": "parquet",
  ".arrow": "arrow",
};

/** Returns the format for the extension of a file; undefined for no file or another extension. */
export function formatOf(file = ""): ResultFormat | undefined {
  return formatsByExtension[extname(file).toLowerCase()];
}

/** Returns the format that `--format` or `--json` chooses. @default "table" on a terminal, else "jsonl" */
export function chosenFormat<Name extends ResultFormat = Format>(
  { format, json }: FormatChoice<Name>,
  stdout: { readonly isTTY?: boolean },
): Name | Format {
  return format ?? (json ? "json" : stdout.isTTY ? "table" : "jsonl");
}
