import type { DuckDBDataChunk, DuckDBMaterializedResult } from "@duckdb/node-api";
import { rowKeys } from "@quern/query-run/columns";
import type { ResultColumn } from "@quern/query-run/record";
import { type CellWriter, cellWriter } from "./cell.ts";

export interface PageText {
  /** The rows as a JSON array. */
  readonly parts: readonly Uint8Array[];
  readonly rowCount: number;
  readonly bytes: number;
}

/** Writes rows as JSON text until they exceed `maxBytes`; then `bytes` says so and the text is not complete. */
export async function writeRows(
  result: DuckDBMaterializedResult,
  columns: readonly ResultColumn[],
  format: "csv" | "json",
  maxBytes: number,
): Promise<PageText> {
  const types = result.columnTypes();
  const writers = columns.flatMap(({ engineType }, index) => {
    const type = types[index];
    return type === undefined ? [] : [cellWriter(type, engineType === "JSON")];
  });
  const shape = format === "csv" ? arrayShape(columns) : objectShape(columns);
  const parts: Uint8Array[] = [Buffer.from("[")];
  let bytes = 2;
  let rowCount = 0;
  // The result is materialized: a stream would end early without saying so.
  for (let chunk = await result.fetchChunk(); chunk !== null; chunk = await result.fetchChunk()) {
    if (chunk.rowCount === 0) break;
    const text = rowCount === 0 ? chunkText(chunk, writers, shape) : `,${chunkText(chunk, writers, shape)}`;
    const part = Buffer.from(text);
    parts.push(part);
    bytes += part.length;
    rowCount += chunk.rowCount;
    if (bytes > maxBytes) break;
  }
  parts.push(Buffer.from("]"));
  return { parts, rowCount, bytes };
}

interface RowShape {
  /** What stands before each cell. */
  readonly before: readonly string[];
  readonly end: string;
}

function arrayShape(columns: readonly ResultColumn[]): RowShape {
  return { before: columns.map((_, index) => (index === 0 ? "[" : ",")), end: "]" };
}

function objectShape(columns: readonly ResultColumn[]): RowShape {
  const keys = rowKeys(columns.map(({ name }) => name));
  return { before: keys.map((key, index) => `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`), end: "}" };
}

function chunkText(chunk: DuckDBDataChunk, writers: readonly CellWriter[], { before, end }: RowShape): string {
  const columns = writers.map((write, index) => chunk.getColumnValues(index).map(write));
  const rows = new Array<string>(chunk.rowCount);
  for (let row = 0; row < chunk.rowCount; row += 1) {
    let text = "";
    for (let column = 0; column < columns.length; column += 1) text += `${before[column]}${columns[column]?.[row]}`;
    rows[row] = text + end;
  }
  return rows.join(",");
}
