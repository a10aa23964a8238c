import { csvWriter } from "./csv.ts";
import { jsonlWriter, jsonWriter } from "./json.ts";
import type { OutputColumn, RowWriter } from "./row-writer.ts";
import { tableWriter } from "./table.ts";

const writers = { table: tableWriter, csv: csvWriter, json: jsonWriter, jsonl: jsonlWriter } as const;

/** A form that rows are written in. */
export type Format = keyof typeof writers;

export const formats = Object.keys(writers) as readonly Format[]; // the table's own keys

/** A table for people, an object a line for programs. */
export function defaultFormat(stdout: { readonly isTTY?: boolean }): Format {
  return stdout.isTTY ? "table" : "jsonl";
}

export function rowWriter(format: Format, columns: readonly OutputColumn[]): RowWriter {
  return writers[format](columns);
}
