/** Column of the output. */
export interface OutputColumn {
  readonly name: string;
  /** Key of the column in JSON objects. */
  readonly key: string;
  /** Column type as the service reports it, such as `string`. Columns of type `number` are aligned to the right. */
  readonly type: string;
  /** Cells are not shortened to fit the terminal. @default false */
  readonly isWhole?: boolean;
  /** Width below which cells are not shortened, in characters. @default 8 */
  readonly minimumWidth?: number;
}

/** Options of formats for people and of separated values. JSON has neither a header nor a text for NULL. */
export interface TextOptions {
  /** @default true */
  readonly header?: boolean | undefined;
  /** Text for NULL. @default "" in CSV and TSV, else "NULL" */
  readonly nullText?: string | undefined;
  /** Dims NULL on a terminal, so that it differs from the text NULL. @default false */
  readonly isNullDimmed?: boolean | undefined;
}

export type Row = readonly unknown[];

/** Formats a result as text, page by page, so that memory is bounded by a page. */
export interface RowWriter {
  head(): string;
  page(rows: readonly Row[]): string;
  tail(): string;
}

/** Formats a value other than null and undefined as text for csv and tables. */
export function cellText(value: unknown): string {
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** Dims a text on a terminal. */
export function dimmed(text: string): string {
  return text === "" ? "" : `\u001b[2m${text}\u001b[22m`;
}

const controls = /[\p{Cc}\p{Bidi_Control}]/gu;
const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Escapes control characters, also bidirectional ones, so that data cannot control the terminal. */
export function printable(text: string): string {
  return text.replace(
    controls,
    (control) => named[control] ?? `\\u${control.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
