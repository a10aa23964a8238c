import type { DuckDBDataChunk, DuckDBResult, DuckDBType } from "@duckdb/node-api";
import { rowKeys } from "@quern/query-run/columns";
import { type CellWriter, cellWriter } from "./cell.ts";
import { maxTextRatio } from "./page-query.ts";

/** Number of leading rows that fit into a page. */
export interface Fit {
  readonly rowCount: number;
  /** Smallest size in bytes of the first row that does not fit; null if all rows fit. */
  readonly excessBytes: number | null;
}

export interface PageText extends Fit {
  /** JSON array of the rows that fit, in parts. */
  readonly parts: readonly Uint8Array[];
}

/** Format and columns of rows. */
export interface RowForm {
  readonly format: "csv" | "json";
  readonly names: readonly string[];
  /** Types of the columns in the statement. */
  readonly types: readonly DuckDBType[];
}

/**
 * Counts the leading rows that may fit into `maxBytes`, from the size estimates of `weightsQuery`. The rows after them
 * certainly do not fit.
 */
export async function weigh(weights: DuckDBResult, maxBytes: number): Promise<Fit> {
  let bytes = 0;
  let rowCount = 0;
  for await (const chunk of weights) {
    for (const weight of chunk.getColumnValues(0)) {
      const leastBytes = Number(weight) / maxTextRatio;
      bytes += leastBytes;
      if (bytes > maxBytes) return { rowCount, excessBytes: leastBytes };
      rowCount += 1;
    }
  }
  return { rowCount, excessBytes: null };
}

/** Writes rows as JSON until `maxBytes` is reached. */
export async function writeRows(result: DuckDBResult, form: RowForm, maxBytes: number): Promise<PageText> {
  const writers = form.types.map(cellWriter);
  const shape = form.format === "csv" ? arrayShape(form.names) : objectShape(form.names);
  const parts: Uint8Array[] = [];
  let text = "[";
  let bytes = 2;
  let rowCount = 0;
  const done = (excessBytes: number | null): PageText => {
    parts.push(Buffer.from(`${text}]`));
    return { parts, rowCount, excessBytes };
  };
  for await (const chunk of result) {
    const rows = rowTexts(chunk, writers, shape);
    chunk.reset(); // frees memory of the engine, which the garbage collector does not count
    for (const row of rows) {
      const rowBytes = Buffer.byteLength(row) + 1;
      if (bytes + rowBytes > maxBytes) return done(rowBytes);
      text += rowCount === 0 ? row : `,${row}`;
      bytes += rowBytes;
      rowCount += 1;
    }
    parts.push(Buffer.from(text));
    text = "";
  }
  return done(null);
}

/** Punctuation and keys of a row. */
interface RowShape {
  /** Text before each cell. */
  readonly before: readonly string[];
  readonly end: string;
}

function arrayShape(names: readonly string[]): RowShape {
  return { before: names.map((_, index) => (index === 0 ? "[" : ",")), end: "]" };
}

function objectShape(names: readonly string[]): RowShape {
  return {
    before: rowKeys(names).map((key, index) => `${index === 0 ? "{" : ","}${JSON.stringify(key)}:`),
    end: "}",
  };
}

function rowTexts(chunk: DuckDBDataChunk, writers: readonly CellWriter[], { before, end }: RowShape): string[] {
  const columns = writers.map((write, index) => chunk.getColumnValues(index).map(write));
  return Array.from({ length: chunk.rowCount }, (_, row) => {
    let text = "";
    for (let column = 0; column < columns.length; column += 1) text += `${before[column]}${columns[column]?.[row]}`;
    return text + end;
  });
}
