import type { Client } from "@quern/client";
import type { CopiedCells } from "./copy-format.ts";
import type { CellRange } from "./grid-selection.ts";
import type { GridView } from "./grid-view.ts";
import { readRows } from "./read-rows.ts";

const MAX_CELLS = 1_000_000;

/**
 * Reads the selected cells of a result, including rows that the grid does not hold.
 * @param order positions of the columns in the result, in the order in which the grid shows them
 * @throws {Error} if there are too many for the clipboard
 */
export async function readRange(
  client: Client,
  queryRunId: string,
  view: GridView,
  { firstRow, endRow, firstColumn, endColumn }: CellRange,
  order: readonly number[],
): Promise<CopiedCells> {
  const count = (endRow - firstRow) * (endColumn - firstColumn);
  if (count > MAX_CELLS) {
    const limit = MAX_CELLS.toLocaleString("en-US");
    throw new Error(`Too many cells to copy: ${count.toLocaleString("en-US")}, at most ${limit}; download the result.`);
  }
  const columns = order.slice(firstColumn, endColumn);
  return readRows(client, { queryRunId, view, firstRow, endRow, columns });
}
