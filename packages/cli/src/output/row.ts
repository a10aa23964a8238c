/** What a format must know of a column. */
export interface OutputColumn {
  readonly name: string;
  /** What tells it from the others in a row that is an object. */
  readonly key: string;
  /** As the service names it; `number` is aligned to the right. */
  readonly type: string;
}

export type Row = readonly unknown[];

/** Turns a result into text, page by page, so that a large result takes no more memory than a page. */
export interface RowWriter {
  head(): string;
  page(rows: readonly Row[]): string;
  tail(): string;
}
