import { rowKeys } from "@quern/protocol/column-names";
import type { Page } from "@quern/protocol/types";
import type { QueryResult } from "../result/query-result.ts";
import type { PageOptions } from "../result/result-pages.ts";
import { rowKeysOf } from "../result/row.ts";
import { type RowPage, readPage, rowPageOf } from "../result/row-page.ts";
import type { Client } from "../wire/client.ts";
import type { Untyped, Writable } from "./loose-types.ts";

export type PageStats = Writable<Page>;
export type Cell = string | number | boolean | null;
/** Row by lower-case column name. Cells are untyped because they can be arrays and objects, which the old type did not have. */
export type QueryResultRecord = Record<string, Untyped>;

/** Page to read from a result. If both members are missing, the whole result is read. */
export interface PageRequest {
  /**
   * Rows in a page.
   * @default 100_000
   */
  pageSize?: number | undefined;
  /**
   * Number of the page, from 1.
   * @default 1
   */
  pageNumber?: number | undefined;
}

/** All requested rows, and their position in the result. */
export interface ResultRows {
  readonly rows: Cell[][];
  readonly page: PageStats;
}

interface PageSelection {
  readonly pageNumber: number;
  readonly pageSize: number;
}

/** Returns the requested page; undefined for the whole result. */
function selectionOf({ pageNumber, pageSize }: PageRequest): PageSelection | undefined {
  if (pageNumber === undefined && pageSize === undefined) return undefined;
  return { pageNumber: Math.max(1, pageNumber ?? 1), pageSize: pageSize ?? 100_000 };
}

/**
 * Returns the number of rows to fetch when the result is opened: those of page 1, or one row if a later page is
 * requested. Undefined, the default of the client, for the whole result.
 */
export function openingRows(request: PageRequest): number | undefined {
  const selection = selectionOf(request);
  return selection && selection.pageNumber > 1 ? 1 : selection?.pageSize;
}

/** Reads the requested rows completely, or throws. A page that the service refuses as too large is read in parts. */
export function readRows(
  client: Client,
  result: QueryResult,
  request: PageRequest & PageOptions,
  signal: AbortSignal,
): Promise<ResultRows> {
  const selection = selectionOf(request);
  return selection ? pageOf(client, result, { ...request, ...selection }, signal) : wholeOf(result, signal);
}

async function wholeOf(result: QueryResult, signal: AbortSignal): Promise<ResultRows> {
  const rows: Cell[][] = [];
  // Each row is an array, because the default format is `csv`.
  for await (const page of result.pages({ signal })) for (const row of page.rows) rows.push(row as Cell[]);
  const { length } = rows;
  const page = { currentPageNumber: 1, currentPageSize: length, totalRows: length, totalPages: Math.min(1, length) };
  return { rows, page };
}

async function pageOf(
  client: Client,
  result: QueryResult,
  { pageNumber, pageSize, filters, sortBy }: PageSelection & PageOptions,
  signal: AbortSignal,
): Promise<ResultRows> {
  const { queryRunId, rowCount } = result;
  const keys = rowKeysOf(result.first);
  const rows: Cell[][] = [];
  const start = (pageNumber - 1) * pageSize;
  let offset: number | null = start;
  while (offset !== null && rows.length < pageSize) {
    const options = { offset, pageSize: start + pageSize - offset, filters, sortBy, signal };
    const part: RowPage = offset === 0 ? await rowPageOf(result) : await readPage(client, queryRunId, options);
    for (const row of part.rows.slice(0, pageSize - rows.length)) rows.push(keys.map((key) => row[key] as Cell));
    offset = part.nextOffset;
  }
  const totalRows = rowCount ?? start + rows.length;
  const totalPages = pageSize > 0 ? Math.ceil(totalRows / pageSize) : 0;
  return { rows, page: { currentPageNumber: pageNumber, currentPageSize: pageSize, totalRows, totalPages } };
}

/**
 * Converts rows to objects by lower-case column name; a repeated name gets a suffix (`_2`, `_3`). A column may also be
 * named `__proto__`.
 */
export function recordsOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): QueryResultRecord[] {
  const keys = rowKeys(columns);
  return rows.map((row) => Object.fromEntries(keys.map((key, index) => [key, row[index] ?? null])));
}
