import { csvWriter } from "./csv.ts";
import type { Format } from "./format.ts";
import { jsonlWriter, jsonWriter } from "./json.ts";
import type { OutputColumn, RowWriter } from "./row.ts";
import { tableWriter } from "./table.ts";

const writers: Readonly<Record<Format, (columns: readonly OutputColumn[]) => RowWriter>> = {
  table: tableWriter,
  csv: csvWriter,
  json: jsonWriter,
  jsonl: jsonlWriter,
};

export function rowWriter(format: Format, columns: readonly OutputColumn[]): RowWriter {
  return writers[format](columns);
}
