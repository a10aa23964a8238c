import { join } from "node:path";
import type { DuckDBType } from "@duckdb/node-api";
import { engineTypeName, storedCell, type WideIntegers } from "../engine/column-type.ts";
import { quotedText } from "../engine/quoting.ts";
import { ownDirectory } from "../processes/child-directory.ts";
import { resultFile } from "../results/output-file.ts";
import { resultFormat } from "../results/result-files.ts";
import type { RowEncoding, WriteTask } from "./task.ts";
import { fromPositional, fromText } from "./typed-value.ts";

/** Largest JSON row on a line of its own, and in an array, in bytes. The engine reads twice as much at once. */
const maxLineBytes = 67_108_864;
const maxRowBytes = 16_777_216;
/**
 * Bytes of CSV that the engine reads at once, and of the longest row. If a row is longer than what the engine reads at once,
 * rows are missing (duckdb#25825). With more bytes, it takes more memory, and converts a pipe in bursts.
 */
const csvBufferBytes = 33_554_432;

/**
 * Returns the statement that stores rows as Parquet.
 * @param maxRows Number of rows after which the statement stops.
 */
export function copyText(
  rows: Pick<WriteTask, "encoding" | "file">,
  types: readonly DuckDBType[],
  wideIntegers: WideIntegers,
  maxRows: number,
): string {
  const stored = types.map((type, index) => `${storedCell(type, `c${index}`, wideIntegers)} AS c${index}`);
  const limit = Number.isFinite(maxRows) ? ` LIMIT ${maxRows}` : "";
  return `COPY (SELECT ${stored.join(", ")} FROM (${typedRows(rows, types)})${limit})
    TO '${join(ownDirectory, resultFile)}' (${resultFormat(types)})`;
}

function typedRows({ encoding, file }: Pick<WriteTask, "encoding" | "file">, types: readonly DuckDBType[]): string {
  const path = quotedText(join(ownDirectory, file));
  const cells = types.map((type, index) => {
    if (encoding === "csv") {
      // The engine would write the numbers of a list of JSON values anew, with the digits of a double.
      const list = engineTypeName(type) === "JSON[]" ? `CAST(t${index} AS JSON)::VARCHAR[]` : `CAST(t${index} AS JSON)`;
      return fromText(type, `t${index}`, list);
    }
    if (encoding === "positional-arrays") return fromPositional(type, { text: `t[${index + 1}]` });
    return fromText(type, `j ->> ${index}`, `nullif(j -> ${index}, 'null'::JSON)`);
  });
  const named = cells.map((cell, index) => `${cell} AS c${index}`);
  return `SELECT ${named.join(", ")} FROM (${encoding === "csv" ? csvRows(path, types.length) : jsonRows(path, encoding, types.length)})`;
}

function csvRows(path: string, count: number): string {
  const columns = Array.from({ length: count }, (_, index) => `t${index}: 'VARCHAR'`);
  const options = ["auto_detect = false", "header = false", "strict_mode = true", "nullstr = ''"];
  const signs = [
    "delim = ','",
    // Otherwise, the engine takes the first line break of the text for that of the rows, also inside quotes.
    "new_line = '\\n'",
    `quote = '"'`,
    `escape = '"'`,
    "allow_quoted_nulls = false",
    `buffer_size = ${csvBufferBytes}`,
    `max_line_size = ${csvBufferBytes}`,
  ];
  return `FROM read_csv(${path}, ${[...options, ...signs].join(", ")}, columns = {${columns.join(", ")}})`;
}

function jsonRows(path: string, encoding: Exclude<RowEncoding, "csv">, count: number): string {
  const [format, maxBytes] =
    encoding === "lines" ? ["newline_delimited", maxLineBytes] : (["array", maxRowBytes] as const);
  // As a list of texts, a row is parsed once; as JSON, once for each of its values.
  const [row, type, length] =
    encoding === "positional-arrays" ? ["t", "VARCHAR[]", "len(t)"] : ["j", "JSON", "json_array_length(j)"];
  const rows = `read_json(${path}, format = '${format}', records = false,
    columns = {${row}: '${type}'}, maximum_object_size = ${maxBytes})`;
  // Without the check, missing values of a short row would be null.
  const message = quotedText(`a row does not have ${count} values: `);
  const start = `coalesce(left(CAST(${row} AS VARCHAR), 100), 'null')`;
  return `SELECT CASE WHEN ${length} = ${count} THEN ${row} ELSE error(${message} || ${start}) END AS ${row} FROM ${rows}`;
}
