import type { DuckDBDataChunk, DuckDBResult } from "@duckdb/node-api";
import { maxTextRatio } from "./page-query.ts";
import type { RowPart } from "./row-plan.ts";

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

/**
 * Counts the leading rows that may fit into `maxBytes`, from estimates of their sizes. The rows after them certainly
 * do not fit.
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
export async function writeRows(
  result: DuckDBResult,
  rowParts: readonly RowPart[],
  maxBytes: number,
): Promise<PageText> {
  const parts: Uint8Array[] = [];
  let text = "[";
  let bytes = 2;
  let rowCount = 0;
  const done = (excessBytes: number | null): PageText => {
    parts.push(Buffer.from(`${text}]`));
    return { parts, rowCount, excessBytes };
  };
  for await (const chunk of result) {
    const rows = rowTexts(chunk, rowParts);
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

function rowTexts(chunk: DuckDBDataChunk, parts: readonly RowPart[]): string[] {
  const columns = parts.map(({ write }, index) => chunk.getColumnValues(index).map(write));
  return Array.from({ length: chunk.rowCount }, (_, row) => columns.map((texts) => texts[row]).join(""));
}
