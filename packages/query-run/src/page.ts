import { pageSelectorDefaults } from "@quern/protocol/defaults";
import type { PageSelector as RequestedPage } from "@quern/protocol/types";
import type { LimitIssue } from "./sql-limits.ts";

/**
 * Default limit for the JSON of one page, in bytes. The mock server applies it. The service has the same default, which
 * is `maxPageBytes` in `spec/limits.json`.
 */
export const maxPageBytes = 30_000_000;

/** Requested page: its `number`, from 1, and its `size` in rows. */
export interface PageSelector {
  readonly number: number;
  readonly size: number;
  /** Number of rows before the page. @default (number - 1) * size */
  readonly offset?: number | undefined;
}

/** Returns the page that a call requests, or the issue of a call that gives its first row twice. */
export function requestedPage({
  number,
  offset,
  size = pageSelectorDefaults.size,
}: RequestedPage = {}): PageSelector | { readonly issue: LimitIssue } {
  if (offset === undefined) return { number: number ?? pageSelectorDefaults.number, size };
  if (number === undefined) return { number: size === 0 ? 1 : Math.floor(offset / size) + 1, size, offset };
  return { issue: { pointer: "/page/offset", expected: "no offset beside number", received: `${offset}` } };
}

/** Returns the number of rows before a page. */
export function firstRowOf({ number, size, offset = (number - 1) * size }: PageSelector): number {
  return offset;
}

/** Member `page` of an answer of `getQueryRunResults`. */
export interface PagePosition {
  readonly currentPageNumber: number;
  readonly currentPageSize: number;
  readonly totalRows: number;
  readonly totalPages: number;
}

/** Position of the rows of a page in the result. */
export interface PageRange {
  /** Number of rows before the page. */
  readonly offset: number;
  /** Number of rows on the page; 0 beyond the end and for size 0. */
  readonly rowCount: number;
  readonly page: PagePosition;
}

/** Returns the position of the rows of a page in a result of `totalRows` rows. */
export function pageRange(selector: PageSelector, totalRows: number): PageRange {
  const { number, size } = selector;
  const offset = Math.min(firstRowOf(selector), totalRows);
  return {
    offset,
    rowCount: Math.min(size, totalRows - offset),
    page: {
      currentPageNumber: number,
      currentPageSize: size,
      totalRows,
      totalPages: size === 0 ? 0 : Math.ceil(totalRows / size),
    },
  };
}

/** Reason why a page cannot be returned: it is too large, or one of its rows is larger than a page may be. */
export type PageExcess =
  /** Page size that is likely to fit; rows of other pages may be larger. */
  | { readonly maxPageSize: number }
  /** Number of the row in the filtered and sorted result, from 0. */
  | { readonly rowNumber: number };

/**
 * Returns the reason why a page does not fit into `maxBytes`. The suggested size is 90 % of the rows that fit, because
 * later rows may be larger.
 * @param offset Number of rows of the result before the page.
 * @param excess `rowCount` rows of the page fit; the next row has `excessBytes`.
 */
export function pageExcess(
  offset: number,
  { rowCount, excessBytes }: { readonly rowCount: number; readonly excessBytes: number },
  maxBytes: number,
): PageExcess {
  const brackets = 2;
  if (excessBytes + brackets > maxBytes) return { rowNumber: offset + rowCount };
  return { maxPageSize: Math.max(1, Math.floor(rowCount * 0.9)) };
}
