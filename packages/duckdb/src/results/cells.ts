import type { DuckDBConnection, DuckDBDataChunk, DuckDBType } from "@duckdb/node-api";
import type { Cells } from "@quern/query-run/record";
import { engineTypeName, pageCell } from "../engine/column-type.ts";
import { cellWriter } from "./cell.ts";
import { cellTextBytes, isExactType } from "./checked-cells.ts";

/** Returns true if a result of these types can be kept as cells. */
export function canBeCells(types: readonly DuckDBType[]): boolean {
  // The name of a type with an alias is its alias, which can be any word.
  return types.every((type) => type.alias === undefined && isExactType(engineTypeName(type)));
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
        bytes += cellTextBytes(text);
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
