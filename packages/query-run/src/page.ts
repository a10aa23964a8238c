/** Bytes of JSON that one page may have. */
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

/**
 * The page size to recommend when `rows` rows took `bytes` bytes of JSON. A tenth is left for rows that are larger than
 * those seen.
 */
export function maxPageSize(rows: number, bytes: number, limitBytes: number = maxPageBytes): number {
  if (bytes === 0) return Math.max(rows, 1);
  return Math.max(1, Math.floor(((limitBytes * rows) / bytes) * 0.9));
}
