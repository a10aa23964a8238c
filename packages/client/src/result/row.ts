import { uniqueNames } from "@quern/protocol/column-names";
import type { DeadlineOptions } from "../wire/deadline.ts";
import { QuernError } from "../wire/quern-error.ts";
import type { ResultPage } from "./result-pages.ts";
import { parseRow, type RowSchema } from "./row-schema.ts";

/** Row as an object by column name. The values are JSON values. */
export type UntypedRow = Readonly<Record<string, unknown>>;

export interface RowOptions<Row = UntypedRow> {
  /** Validates each row and sets its type. Without a schema the type argument `Row` is not checked at run time. */
  readonly schema?: RowSchema<Row> | undefined;
}

/** Options for reading a whole result. */
export interface ReadOptions extends DeadlineOptions {
  /**
   * Maximum number of rows. Reading a larger result throws at its first page; if the service does not report the number
   * of rows, at the page that exceeds the maximum.
   * @default Infinity
   */
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
 * Returns the keys that the rows have as objects, one for each column. A repeated name gets a suffix: `_2`, `_3` and so
 * on. In the format `json` the service sets the keys, which are the names in lower case.
 * @param result A result, or any of its pages.
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
  // In the format `json` the service has set the keys.
  if (!row || Array.isArray(row)) return keys;
  return keys.map((key) => (Object.hasOwn(row, key) ? key : key.toLowerCase()));
}

/**
 * Returns a function that converts a row from its wire format to an object and validates it by the schema, if there is one.
 * The number of a row counts from 0.
 */
export function rowParser<Row>(
  { queryRunId, first }: { readonly queryRunId: string; readonly first: ResultPage },
  schema: RowSchema<Row> | undefined,
): (row: unknown, number: number) => Row | Promise<Row> {
  const objectOf = objectReader(keysOfPage(first));
  if (!schema) return (row) => objectOf(row) as Row;
  return (row, number) => parseRow(schema, objectOf(row), number, queryRunId);
}

/** Returns a function that converts a row from its wire format to an object. */
export function objectReader(keys: readonly string[]): (row: unknown) => UntypedRow {
  const isSafe = !keys.includes("__proto__");
  // Performance: copying an object that has all members takes less time and memory than adding them one by one, and engines store
  // a parsed object in the most compact form.
  const blank: Record<string, unknown> = JSON.parse(JSON.stringify(Object.fromEntries(keys.map((key) => [key, null]))));
  return (cells) => {
    // The format `json` has objects already.
    if (!Array.isArray(cells)) return cells as UntypedRow;
    // An assignment to `__proto__` would set the prototype and lose the cell.
    if (!isSafe) return Object.fromEntries(keys.map((key, index) => [key, cells[index]]));
    const row = { ...blank };
    for (let index = 0; index < keys.length; index += 1) row[keys[index] as string] = cells[index]; // `index` is in range.
    return row;
  };
}
