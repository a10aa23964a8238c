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

/** A value of a row as text for csv and tables; null and undefined are for the format to show. */
export function cellText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

const controls = /[\p{Cc}\p{Bidi_Control}]/gu;
const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Escapes the characters that move the cursor, change colours or change the direction of a terminal. */
export function printable(text: string): string {
  return text.replace(
    controls,
    (control) => named[control] ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
