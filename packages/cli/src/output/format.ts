/** Forms that rows are written in. The writers are loaded when one is needed. */
export const formats = ["table", "csv", "json", "jsonl"] as const;

export type Format = (typeof formats)[number];

/** A table for people, an object a line for programs. */
export function defaultFormat(stdout: { readonly isTTY?: boolean }): Format {
  return stdout.isTTY ? "table" : "jsonl";
}
