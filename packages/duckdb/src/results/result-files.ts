import type { DuckDBType } from "@duckdb/node-api";
import type { ResultColumn } from "@quern/query-run/record";
import { parquetRowCount } from "./parquet-row-count.ts";

/**
 * Last column of csv rows if the server's option `csvRowIndex` is set: the number of the row in the whole result, from
 * 0.
 */
export const rowIndexColumn: ResultColumn = { name: "__row_index", kind: "number", engineType: "BIGINT" };

/**
 * Format of the files of results, as options of COPY. A page reads whole row groups. The engine's default of 122,880
 * rows would make a page of 1,000 rows take twice as long. Its default level of compression takes half as long again as
 * level 1, and its files are not smaller.
 */
export function resultFormat(types: readonly DuckDBType[]): string {
  return `FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 1, ROW_GROUP_SIZE 20480${separateZeros(types)}`;
}

/**
 * Returns the option of COPY that keeps -0.0 and 0.0 apart. A dictionary of Parquet has one of them for both (duckdb#25781).
 * Without dictionaries, columns of few different values take up to a third more space. @param types types of all columns
 */
export function separateZeros(types: readonly DuckDBType[]): string {
  return types.some((type) => /\b(?:FLOAT|DOUBLE)\b/.test(String(type))) ? ", DICTIONARY_SIZE_LIMIT 0" : "";
}

/** File of a result, and the number of its first row. */
export interface ResultFile {
  readonly path: string;
  /** Number of the file's first row in the whole result, from 0. */
  readonly firstRow: number;
}

/**
 * Returns the files of a result with the numbers of their first rows. It reads the footers of all files but the last.
 * @param paths Paths in the order of the rows.
 * @throws {Error} if `paths` is empty or a footer cannot be read
 */
export function resultFiles(paths: readonly string[]): readonly ResultFile[] {
  if (paths.length === 0) throw new Error("The result has no file.");
  const files: ResultFile[] = [];
  let firstRow = 0;
  for (const path of paths) {
    files.push({ path, firstRow });
    if (files.length < paths.length) firstRow += parquetRowCount(path);
  }
  return files;
}

/**
 * Returns SQL for a FROM clause: the columns of a result, and `file_row_number`, the number of a row in the whole
 * result. A condition on a range of these numbers reads only the files and row groups of the range.
 * @param pathSql Returns SQL for a path: a literal or a parameter.
 */
export function resultRows(files: readonly ResultFile[], pathSql: (path: string) => string): string {
  const rows = (path: string): string => `read_parquet(${pathSql(path)}, file_row_number = true)`;
  const [first, ...others] = files;
  if (first !== undefined && others.length === 0) return rows(first.path);
  const numbered = files.map(
    ({ path, firstRow }) => `SELECT * REPLACE (file_row_number + ${firstRow} AS file_row_number) FROM ${rows(path)}`,
  );
  return `(${numbered.join(" UNION ALL ")})`;
}
