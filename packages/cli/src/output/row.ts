/** A column, as the writers of formats need it. */
export interface OutputColumn {
  readonly name: string;
  /** Key of the column in a row that is an object. */
  readonly key: string;
  /** Type of the interface; `number` is aligned to the right. */
  readonly type: string;
  /** Keeps its cells whole in a table that is shortened. */
  readonly isWhole?: boolean;
}

export type Row = readonly unknown[];

/** Turns a result into text, page by page, so that a large result takes no more memory than a page. */
export interface RowWriter {
  head(): string;
  page(rows: readonly Row[]): string;
  tail(): string;
}
