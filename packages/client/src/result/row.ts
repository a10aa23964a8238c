import { uniqueNames } from "@quern/protocol/column-names";
import type { DeadlineOptions } from "../wire/deadline.ts";
import { QuernError } from "../wire/quern-error.ts";
import type { ResultPage } from "./result-pages.ts";
import { type RowSchema, validRow } from "./row-schema.ts";

/** A row by column name; values are JSON values. */
export type UntypedRow = Readonly<Record<string, unknown>>;

export interface RowOptions<Row = UntypedRow> {
  /** Each row is checked by it, and has its type. Without a schema the caller's type is the caller's word. */
  readonly schema?: RowSchema<Row> | undefined;
}

/** Options for reading a whole result. */
export interface ReadOptions extends DeadlineOptions {
  /** Most rows that may be read: a larger result fails at its first page, before its rows fill the memory. @default Infinity */
  readonly maxRows?: number | undefined;
}

/** @throws {QuernError} `protocol` if the result has more than `maxRows` rows. */
export function checkSize({ rowCount, offset, rows }: ResultPage, maxRows = Infinity, queryRunId?: string): void {
  const count = Math.max(rowCount ?? 0, offset + rows.length);
  if (count <= maxRows) return;
  const size = rowCount === null ? `at least ${count}` : count;
  const text = `Result too large for maxRows ${maxRows}: it has ${size} rows; limit the statement, read single pages, or raise maxRows`;
  throw new QuernError("protocol", text, queryRunId ? { queryRunId } : {});
}

/**
 * Returns the keys of the rows as objects, one for each column: a repeated name gets `_2`. In the format `json` they are
 * lower case.
 * @param result A result, or any page of one.
 */
export function rowKeysOf(
  result: ResultPage | { readonly first: ResultPage } | { readonly rowKeys: readonly string[] },
): readonly string[] {
  if ("rowKeys" in result) return result.rowKeys;
  return keysOfPage("first" in result ? result.first : result);
}

export function keysOfPage({ columnNames, rows }: ResultPage): readonly string[] {
  const keys = uniqueNames(columnNames);
  const [row] = rows;
  // A row that is an object has its keys already.
  if (!row || Array.isArray(row)) return keys;
  return keys.map((key) => (Object.hasOwn(row, key) ? key : key.toLowerCase()));
}

/**
 * Makes rows of the wire, arrays in column order or objects already, rows as the caller wants them; the number of a row
 * counts from 0.
 */
export function rowReader<Row>(
  { queryRunId, first }: { readonly queryRunId: string; readonly first: ResultPage },
  schema: RowSchema<Row> | undefined,
): (row: unknown, number: number) => Row | Promise<Row> {
  const objectOf = objectReader(keysOfPage(first));
  if (!schema) return (row) => objectOf(row) as Row;
  return (row, number) => validRow(schema, objectOf(row), number, queryRunId);
}

/** Makes a row of the wire an object. */
export function objectReader(keys: readonly string[]): (row: unknown) => UntypedRow {
  const isSafe = !keys.includes("__proto__");
  // A copy of a row that has its members takes less time and memory than one whose members are added, and an object that was
  // parsed has the most compact form.
  const blank: Record<string, unknown> = JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))));
  return (cells) => {
    // A row that is no array has the form `json`.
    if (!Array.isArray(cells)) return cells as UntypedRow;
    // Assigning to `__proto__` would set the prototype and lose the cell.
    if (!isSafe) return Object.fromEntries(keys.map((key, index) => [key, cells[index]]));
    const row = { ...blank };
    for (let index = 0; index < keys.length; index += 1) row[keys[index] as string] = cells[index]; // There is one.
    return row;
  };
}
