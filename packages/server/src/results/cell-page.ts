import { type Page, type PageTask, rowFrame } from "@quern/duckdb";
import { pageRange } from "@quern/query-run/page";
import type { Cells } from "@quern/query-run/record";

/**
 * Returns a page of a small result without a process. Undefined if it has filters or an order, or does not fit: the reader
 * of results then reads it from a file.
 */
export function cellPage(cells: Cells, task: Omit<PageTask, "paths">): Page | undefined {
  if (task.conditions.length > 0 || task.sortKeys.length > 0) return undefined;
  const { before, close } = rowFrame(task);
  const { offset, rowCount, page } = pageRange(task.page, cells.length);
  const texts = cells.slice(offset, offset + rowCount).map((row, index) => {
    const values = task.rowIndex ? [...row, String(offset + index)] : row;
    return values.map((value, column) => before[column] + value).join("") + close;
  });
  const rows = Buffer.from(`[${texts.join(",")}]`);
  return rows.length + 1 > task.maxBytes ? undefined : { position: page, rows };
}
