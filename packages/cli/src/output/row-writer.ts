import { csvWriter } from "./csv.ts";
import type { Format } from "./format.ts";
import { jsonlWriter, jsonWriter } from "./json.ts";
import type { OutputColumn, RowWriter } from "./row.ts";
import { type TableOptions, tableWriter } from "./table.ts";

const writers: Readonly<Record<Format, (columns: readonly OutputColumn[], options?: TableOptions) => RowWriter>> = {
  table: tableWriter,
  csv: csvWriter,
  json: jsonWriter,
  jsonl: jsonlWriter,
};

/** @param options How a table is fitted; the other formats take none. */
export function rowWriter(format: Format, columns: readonly OutputColumn[], options?: TableOptions): RowWriter {
  return writers[format](columns, options);
}
