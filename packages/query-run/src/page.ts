/**
 * Default for the bytes of JSON that one page may have. The service cuts a page in `duckdb/src/reader/page-text.ts`, the mock in
 * its handler of `getQueryRunResults`.
 */
export const maxPageBytes = 30_000_000;

export const defaultPage: PageSelector = { number: 1, size: 1_000 };

/** `number` counts from 1; `size` is in rows. */
export interface PageSelector {
  readonly number: number;
  readonly size: number;
}

export interface PagePosition {
  readonly currentPageNumber: number;
  readonly currentPageSize: number;
  readonly totalRows: number;
  readonly totalPages: number;
}

export interface PageRange {
  /** Rows before the page. */
  readonly offset: number;
  /** Rows on the page; 0 beyond the end and for size 0. */
  readonly rowCount: number;
  readonly page: PagePosition;
}

export function pageRange({ number, size }: PageSelector, totalRows: number): PageRange {
  const offset = Math.min((number - 1) * size, totalRows);
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

/** Why a page cannot be answered: it has too many rows, or one of them is larger than a page may be. */
export type PageExcess =
  /** A size worth trying; rows elsewhere may be larger. */
  | { readonly maxPageSize: number }
  /** The row's number in the result as it was asked for, from 0. */
  | { readonly rowNumber: number };

/**
 * What to say of a page from row `offset` on whose first `rowCount` rows fit into `maxBytes`, but not the next, which
 * takes `excessBytes`. A tenth is left for rows that are larger than those seen.
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
