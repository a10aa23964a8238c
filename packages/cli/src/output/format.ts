/** Forms that rows are written in. The writers are loaded when one is needed. */
export const formats = ["table", "csv", "json", "jsonl"] as const;

export type Format = (typeof formats)[number];

/** Forms that the service writes itself, as bytes. */
const binaryFormats = ["parquet", "arrow"] as const;

export type BinaryFormat = (typeof binaryFormats)[number];

/** All forms that the result of a query can be had in. */
export const resultFormats = [...formats, ...binaryFormats] as const;

export function isBinary(format: Format | BinaryFormat): format is BinaryFormat {
  return binaryFormats.some((each) => each === format);
}

/** A table for people, an object a line for programs. */
export function defaultFormat(stdout: { readonly isTTY?: boolean }): Format {
  return stdout.isTTY ? "table" : "jsonl";
}
