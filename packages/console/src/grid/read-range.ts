import { type Client, getQueryRunResults } from "@quern/client";
import type { CopiedCells } from "./copy-format.ts";
import type { CellRange } from "./grid-selection.ts";
import type { GridView } from "./grid-view.ts";

const MAX_CELLS = 1_000_000;
const PAGE_ROWS = 5000;

/**
 * Reads the selected cells of a result, including rows that the grid does not hold.
 * @throws {Error} if there are too many for the clipboard
 */
export async function readRange(
  client: Client,
  queryRunId: string,
  { sortBy, filters }: GridView,
  range: CellRange,
): Promise<CopiedCells> {
  const { firstRow, endRow, firstColumn, endColumn } = range;
  const count = (endRow - firstRow) * (endColumn - firstColumn);
  if (count > MAX_CELLS) {
    const limit = MAX_CELLS.toLocaleString("en-US");
    throw new Error(`Too many cells to copy: ${count.toLocaleString("en-US")}, at most ${limit}; download the result.`);
  }
  const rows: (readonly unknown[])[] = [];
  let names: readonly string[] = [];
  while (firstRow + rows.length < endRow) {
    const page = { offset: firstRow + rows.length, size: Math.min(PAGE_ROWS, endRow - firstRow - rows.length) };
    const answer = await getQueryRunResults(client, { queryRunId, page, sortBy, filters });
    const arrived = (answer.rows ?? []).filter((row) => Array.isArray(row));
    if (arrived.length === 0) break;
    rows.push(...arrived.map((row) => row.slice(firstColumn, endColumn)));
    names = (answer.columnNames ?? []).slice(firstColumn, endColumn);
  }
  return { names, rows };
}
