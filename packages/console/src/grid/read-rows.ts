import { type Client, getQueryRunResults, QuernError } from "@quern/client";
import type { GridView } from "./grid-view.ts";

const PAGE_ROWS = 5000;
const PAGE_TOO_LARGE = -32170;

interface RowsToRead {
  readonly queryRunId: string;
  readonly view: GridView;
  /** First row, from 0. */
  readonly firstRow: number;
  /** Row to stop before. */
  readonly endRow: number;
  /** Positions of the columns to keep; the others of a wide result are dropped page by page. */
  readonly columns: readonly number[];
  readonly signal?: AbortSignal | undefined;
}

interface ReadRows {
  readonly names: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
}

/** Reads rows of a stored result, in as few pages as the service allows. */
export async function readRows(client: Client, request: RowsToRead): Promise<ReadRows> {
  const { queryRunId, view, firstRow, endRow, columns, signal } = request;
  const rows: (readonly unknown[])[] = [];
  let names: readonly string[] = [];
  let size = PAGE_ROWS;
  while (firstRow + rows.length < endRow) {
    const offset = firstRow + rows.length;
    const page = { offset, size: Math.min(size, endRow - offset) };
    try {
      const answer = await getQueryRunResults(client, { queryRunId, page, ...view }, { signal });
      const arrived = (answer.rows ?? []).filter((row) => Array.isArray(row));
      if (arrived.length === 0) break;
      for (const row of arrived) rows.push(columns.map((column) => row[column]));
      names = columns.map((column) => answer.columnNames?.[column] ?? "");
    } catch (error) {
      if (!(error instanceof QuernError && error.code === PAGE_TOO_LARGE) || page.size === 1) throw error;
      const { maxPageSize } = Object(error.data);
      size = Math.max(1, Math.min(Math.floor(page.size / 2), Number(maxPageSize) || page.size));
    }
  }
  return { names, rows };
}
