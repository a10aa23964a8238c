import { rowKeys } from "@quern/protocol/column-names";
import type { Page } from "@quern/protocol/types";
import { rowPageOf, type RowPage, readPage } from "../result/row-page.ts";
import type { QueryResult } from "../result/query-result.ts";
import type { PageOptions } from "../result/result-pages.ts";
import { rowKeysOf } from "../result/row.ts";
import type { Client } from "../wire/client.ts";
import type { Untyped, Writable } from "./loose-types.ts";

export type PageStats = Writable<Page>;
export type Cell = string | number | boolean | null;
/** A row by lower-case names. Cells are untyped, since they can be arrays and objects, which the old type did not have. */
export type QueryResultRecord = Record<string, Untyped>;

/** Which rows of a result: a page, or all where nothing is said. */
export interface PageRequest {
  /** Rows of the page; 100,000 by default. */
  pageSize?: number | undefined;
  /** The page, from 1, the default. */
  pageNumber?: number | undefined;
}

/** The rows that were asked for, all of them. */
export interface ResultRows {
  readonly rows: Cell[][];
  readonly page: PageStats;
}

interface Span {
  readonly pageNumber: number;
  readonly pageSize: number;
}

/** The page that is asked for; undefined for the whole result. */
function spanOf({ pageNumber, pageSize }: PageRequest): Span | undefined {
  if (pageNumber === undefined && pageSize === undefined) return undefined;
  return { pageNumber: Math.max(1, pageNumber ?? 1), pageSize: pageSize ?? 100_000 };
}

/** Rows to open the result with. A later page needs none of the first. */
export function openingRows(request: PageRequest): number | undefined {
  const span = spanOf(request);
  return span && span.pageNumber > 1 ? 1 : span?.pageSize;
}

/** Reads what is asked for. It is complete or it throws: a page that the service finds too large comes in parts. */
export function readRows(
  client: Client,
  result: QueryResult,
  request: PageRequest & PageOptions,
  signal: AbortSignal,
): Promise<ResultRows> {
  const span = spanOf(request);
  return span ? pageOf(client, result, { ...request, ...span }, signal) : wholeOf(result, signal);
}

async function wholeOf(result: QueryResult, signal: AbortSignal): Promise<ResultRows> {
  const rows: Cell[][] = [];
  for await (const page of result.pages({ signal })) for (const row of page.rows) rows.push(row as Cell[]); // The format is csv.
  const { length } = rows;
  const page = { currentPageNumber: 1, currentPageSize: length, totalRows: length, totalPages: Math.min(1, length) };
  return { rows, page };
}

async function pageOf(
  client: Client,
  result: QueryResult,
  { pageNumber, pageSize, filters, sortBy }: Span & PageOptions,
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

/** Rows as objects, by lower-case names; a repeated name gets `_2`. No name is lost, `__proto__` neither. */
export function recordsOf(columns: readonly string[], rows: readonly (readonly Cell[])[]): QueryResultRecord[] {
  const keys = rowKeys(columns);
  return rows.map((row) => Object.fromEntries(keys.map((key, index) => [key, row[index] ?? null])));
}
