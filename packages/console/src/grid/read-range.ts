import { type Client, getQueryRunResults } from "@quern/client";
import { arrangedRow } from "./column-order.ts";
import type { CopiedCells } from "./copy-format.ts";
import type { CellRange } from "./grid-selection.ts";
import type { GridView } from "./grid-view.ts";

const MAX_CELLS = 1_000_000;
const PAGE_ROWS = 5000;

/**
 * Reads the selected cells of a result, including rows that the grid does not hold.
 * @param order positions of the columns in the result, in the order in which the grid shows them
 * @throws {Error} if there are too many for the clipboard
 */
export async function readRange(
  client: Client,
  queryRunId: string,
  { sortBy, filters }: GridView,
  range: CellRange,
  order: readonly number[],
): Promise<CopiedCells> {
  const { firstRow, endRow, firstColumn, endColumn } = range;
  const count = (endRow - firstRow) * (endColumn - firstColumn);
  if (count > MAX_CELLS) {
    const limit = MAX_CELLS.toLocaleString("en-US");
    throw new Error(`Too many cells to copy: ${count.toLocaleString("en-US")}, at most ${limit}; download the result.`);
  }
  const columns = order.slice(firstColumn, endColumn);
  const rows: (readonly unknown[])[] = [];
  let names: readonly string[] = [];
  while (firstRow + rows.length < endRow) {
    const page = { offset: firstRow + rows.length, size: Math.min(PAGE_ROWS, endRow - firstRow - rows.length) };
    const answer = await getQueryRunResults(client, { queryRunId, page, sortBy, filters });
    const arrived = (answer.rows ?? []).filter((row) => Array.isArray(row));
    if (arrived.length === 0) break;
    rows.push(...arrived.map((row) => arrangedRow(row, columns)));
    names = arrangedRow(answer.columnNames ?? [], columns);
  }
  return { names, rows };
}
