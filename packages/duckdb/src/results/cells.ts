import { type DuckDBConnection, type DuckDBDataChunk, type DuckDBType, DuckDBTypeId as Id } from "@duckdb/node-api";
import type { Cells } from "@quern/query-run/record";
import { pageCell } from "../engine/column-type.ts";
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

/** Returns the cells of chunks; undefined if their texts have more than `maxBytes` bytes. */
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
        bytes += Buffer.byteLength(text);
        if (bytes > maxBytes) return undefined;
        texts.push(text);
      }
      cells.push(texts);
    }
  }
  return cells;
}

/** Size of the values of a result file, and the file. */
interface FileOfCells {
  readonly path: string;
  readonly rowCount: number;
  readonly types: readonly DuckDBType[];
}

/** Reads the cells of a result file; undefined if they have more than `maxBytes` bytes, or another form is needed. */
export async function cellsOfFile(
  connection: DuckDBConnection,
  { path, rowCount, types }: FileOfCells,
  maxBytes: number,
): Promise<Cells | undefined> {
  if (maxBytes === 0 || rowCount * types.length > maxBytes || !canBeCells(types)) return undefined;
  const selected = types.map((type, index) => pageCell(type, `c${index}`)).join(", ");
  const result = await connection.run(`SELECT ${selected} FROM read_parquet('${path}')`);
  return cellsOf(await result.fetchAllChunks(), types, maxBytes);
}

/**
 * Checks cells that a process has returned, which ran SQL of a caller.
 * @throws {Error} if they are no JSON texts of single values, or not as many as the result must have
 */
export function checkedCells(cells: Cells, rowCount: number, columnCount: number, maxBytes: number): Cells {
  const isValid =
    Array.isArray(cells) &&
    cells.length === rowCount &&
    cells.every((row) => Array.isArray(row) && row.length === columnCount && row.every(isCell)) &&
    cellBytes(cells) <= maxBytes;
  if (!isValid) throw new Error("A process has returned invalid values of a result.");
  return cells;
}

/** Returns the size of the texts of cells in bytes. */
export function cellBytes(cells: Cells): number {
  return cells.flat().reduce((sum, text) => sum + Buffer.byteLength(text), 0);
}

function isCell(text: unknown): boolean {
  if (typeof text !== "string") return false;
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
