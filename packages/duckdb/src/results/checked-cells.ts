import type { Cells, ResultColumn } from "@quern/query-run/record";
import { isDecimalSize } from "../engine/decimal-size.ts";

// The server checks cells, so this file does not load the engine.

/** Types whose values the JSON of a page has in full, so that they can be read back. It lacks digits inside of JSON values. */
const exactTypes: ReadonlySet<string> = new Set([
  "BOOLEAN",
  "TINYINT",
  "SMALLINT",
  "INTEGER",
  "BIGINT",
  "HUGEINT",
  "UTINYINT",
  "USMALLINT",
  "UINTEGER",
  "UBIGINT",
  "UHUGEINT",
  "FLOAT",
  "DOUBLE",
  "VARCHAR",
  "BLOB",
  "UUID",
  "DATE",
  "TIME",
  "TIMESTAMP",
  "TIMESTAMP_NS",
  "TIMESTAMP WITH TIME ZONE",
]);

/** Returns true for the name of a type of DuckDB whose values can be kept as cells. */
export function isExactType(name: string): boolean {
  const [, width, scale] = /^DECIMAL\((\d{1,2}), ?(\d{1,2})\)$/.exec(name) ?? [];
  return exactTypes.has(name) || (width !== undefined && isDecimalSize(Number(width), Number(scale)));
}

/**
 * Checks a small result of a process that ran SQL of a caller, or of an adapter.
 * @throws {Error} if its cells are no JSON texts of single values, not one for each column, or larger than `maxBytes`
 */
export function checkedCells(columns: readonly ResultColumn[], cells: Cells, maxBytes: number): Cells {
  const invalid = (): Error => new Error("Invalid values of a small result.");
  if (!Array.isArray(columns) || !Array.isArray(cells) || columns.length === 0) throw invalid();
  if (cells.length * columns.length > maxBytes) throw invalid();
  let bytes = 0;
  // A loop also visits the holes of an array.
  for (const { name, kind, engineType, storedType } of columns) {
    const texts: readonly unknown[] = [name, kind, engineType, storedType ?? ""];
    if (texts.some((text) => typeof text !== "string")) throw invalid();
  }
  if (!columns.every((column) => isExactType(column.storedType ?? column.engineType))) throw invalid();
  for (const row of cells) {
    if (!Array.isArray(row) || row.length !== columns.length) throw invalid();
    for (const text of row) {
      if (typeof text !== "string") throw invalid();
      bytes += cellTextBytes(text);
      if (bytes > maxBytes || !isCell(text)) throw invalid();
    }
  }
  return cells;
}

/** Returns the size of cells in the record of a run, in bytes. */
export function cellBytes(cells: Cells): number {
  return cells.flat().reduce((sum, text) => sum + cellTextBytes(text), 0);
}

/** Returns the size of a cell in a record: its JSON, and a comma. */
export function cellTextBytes(text: string): number {
  return Buffer.byteLength(JSON.stringify(text)) + 1;
}

/** Returns true for the JSON of one value without space around it. */
function isCell(text: string): boolean {
  if (text.trim() !== text || /\p{Surrogate}/u.test(text)) return false;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value !== "object" || value === null;
  } catch {
    return false;
  }
}

/** Returns the value of a cell as text, `null` for NULL: the form in which a writer of results gets it. */
export function cellText(cell: string): string | null {
  if (cell === "null") return null;
  return cell.startsWith('"') ? String(JSON.parse(cell)) : cell;
}
