import { type DuckDBConnection, type DuckDBDataChunk, type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import type { Cells, ResultColumn } from "@quern/query-run/record";
import { pageCell } from "../engine/column-type.ts";
import { storedType as storedTypeOf } from "../engine/stored-type.ts";
import { cellWriter } from "./cell.ts";

/** Types whose values the JSON of a page has in full, so that they can be read back. It lacks digits inside of JSON values. */
const exactTypes: ReadonlySet<Id> = new Set([
  Id.BOOLEAN,
  Id.TINYINT,
  Id.SMALLINT,
  Id.INTEGER,
  Id.BIGINT,
  Id.HUGEINT,
  Id.UTINYINT,
  Id.USMALLINT,
  Id.UINTEGER,
  Id.UBIGINT,
  Id.UHUGEINT,
  Id.FLOAT,
  Id.DOUBLE,
  Id.DECIMAL,
  Id.VARCHAR,
  Id.BLOB,
  Id.UUID,
  Id.DATE,
  Id.TIME,
  Id.TIMESTAMP,
  Id.TIMESTAMP_NS,
  Id.TIMESTAMP_TZ,
]);

/** Returns true if a result of these types can be kept as cells. */
export function canBeCells(types: readonly DuckDBType[]): boolean {
  return types.every((type) => exactTypes.has(type.typeId) && type.alias === undefined);
}

/** Returns the cells of chunks; undefined if they have more than `maxBytes` bytes. Frees the chunks that become cells. */
export function cellsOf(
  chunks: readonly DuckDBDataChunk[],
  types: readonly DuckDBType[],
  maxBytes: number,
): Cells | undefined {
  const writers = types.map(cellWriter);
  const cells: string[][] = [];
  let bytes = 0;
  for (const chunk of chunks) {
    const vectors = writers.map((_, index) => chunk.getColumnVector(index));
    // Value by value, because each can be large.
    for (let row = 0; row < chunk.rowCount; row += 1) {
      const texts: string[] = [];
      for (const [index, write] of writers.entries()) {
        const text = write(vectors[index]?.getItem(row) ?? null);
        bytes += bytesOf(text);
        if (bytes > maxBytes) return undefined;
        texts.push(text);
      }
      cells.push(texts);
    }
  }
  for (const chunk of chunks) chunk.reset(); // memory of the engine, which the garbage collector does not count
  return cells;
}

/** Result file, and the types of its columns in the statement. */
interface FileOfCells {
  readonly path: string;
  readonly rowCount: number;
  readonly types: readonly DuckDBType[];
}

/**
 * Reads the cells of a result file; undefined if they have more than `maxBytes` bytes, or if only the file can have the
 * result.
 */
export async function cellsOfFile(
  connection: DuckDBConnection,
  { path, rowCount, types }: FileOfCells,
  maxBytes: number,
): Promise<Cells | undefined> {
  if (maxBytes === 0 || rowCount * types.length > maxBytes || !canBeCells(types)) return undefined;
  const selected = types.map((type, index) => pageCell(type, `c${index}`)).join(", ");
  try {
    const result = await connection.run(`SELECT ${selected} FROM read_parquet('${path}')`);
    return cellsOf(await result.fetchAllChunks(), types, maxBytes);
  } catch {
    return undefined; // the file has the result
  }
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
  if (!canBeCells(columns.map(storedTypeOf))) throw invalid();
  for (const row of cells) {
    if (!Array.isArray(row) || row.length !== columns.length) throw invalid();
    for (const text of row) {
      if (typeof text !== "string") throw invalid();
      bytes += bytesOf(text);
      if (bytes > maxBytes || !isCell(text)) throw invalid();
    }
  }
  return cells;
}

/** Returns the size of cells in the record of a run, in bytes. */
export function cellBytes(cells: Cells): number {
  return cells.flat().reduce((sum, text) => sum + bytesOf(text), 0);
}

/** Returns the size of a cell in a record: its JSON, and a comma. */
function bytesOf(text: string): number {
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
