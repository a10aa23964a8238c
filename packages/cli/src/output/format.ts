import { basename, extname } from "node:path";

/** Text formats, which the CLI can write itself. */
export const formats = ["table", "vertical", "csv", "tsv", "json", "jsonl", "markdown"] as const;

/** `plan` is the text of `quern explain`, and `fitted` a table unless it is wider than the terminal; no flag chooses them. */
export type Format = (typeof formats)[number] | "plan" | "fitted";

/** Formats that only the service writes, as bytes. `arrow` is the file format of Arrow IPC, and `arrows` a stream. */
const binaryFormats = ["parquet", "arrow", "arrows"] as const;

export type BinaryFormat = (typeof binaryFormats)[number];

/** Formats of the result of a query. */
export const resultFormats = [...formats, ...binaryFormats] as const;

export type ResultFormat = Format | BinaryFormat;

export function isBinary(format: ResultFormat): format is BinaryFormat {
  return binaryFormats.some((each) => each === format);
}

/** Default that the profile of the connection has. No flag sets it. */
export interface ProfileFormat {
  readonly defaultFormat?: Format;
}

interface FormatChoice<Name> extends ProfileFormat {
  readonly format?: Name;
  readonly csv?: boolean;
  readonly tsv?: boolean;
  readonly vertical?: boolean;
  readonly json: boolean;
}

/** Returns the format that a flag of its own chooses, such as `--csv`. */
export function shortFormat({ csv, tsv, vertical, json }: Omit<FormatChoice<Format>, "format">): Format | undefined {
  if (csv) return "csv";
  if (tsv) return "tsv";
  return vertical ? "vertical" : json ? "json" : undefined;
}

const formatsByExtension: Readonly<Record<string, ResultFormat>> = {
  ".csv": "csv",
  ".tsv": "tsv",
  ".json": "json",
  ".jsonl": "jsonl",
  ".ndjson": "jsonl",
  ".parquet": "parquet",
  ".arrow": "arrow",
  ".arrows": "arrows",
  ".md": "markdown",
};

/** Extensions of files that choose a format, each of which `.gz` or `.zst` can follow. */
export const extensions: readonly string[] = Object.keys(formatsByExtension);

const compressions = { ".gz": "gzip", ".zst": "zstd" } as const;

export type Compression = (typeof compressions)[keyof typeof compressions];

/** Format and compression that the name of a file states. */
export interface FileKind {
  /** Extension in lower case, without that of the compression. Empty if there is none. */
  readonly extension: string;
  /** Undefined for no extension, or an unknown one. */
  readonly format: ResultFormat | undefined;
  readonly compression: Compression | undefined;
}

/** Returns the kind of a file for its extension, such as `.csv` or `.csv.gz`. */
export function fileKind(file: string): FileKind {
  const name = basename(file).toLowerCase();
  const [ending, compression] =
    Object.entries(compressions).find(([each]) => name.endsWith(each)) ?? ([undefined, undefined] as const);
  const extension = extname(ending === undefined ? name : name.slice(0, -ending.length)).replace(/^\.$/, "");
  const format = Object.hasOwn(formatsByExtension, extension) ? formatsByExtension[extension] : undefined;
  return { extension, format, compression };
}

/** Returns the format that `--format`, a flag such as `--csv`, or the profile chooses. @default "table" on a terminal, else "jsonl" */
export function chosenFormat<Name extends ResultFormat = Format>(
  flags: FormatChoice<Name>,
  stdout: { readonly isTTY?: boolean },
): Name | Format {
  return flags.format ?? shortFormat(flags) ?? flags.defaultFormat ?? (stdout.isTTY ? "table" : "jsonl");
}
