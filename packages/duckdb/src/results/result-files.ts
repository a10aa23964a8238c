import type { ResultColumn } from "@quern/query-run/record";
import { parquetRowCount } from "./parquet-row-count.ts";

/** The column that ended the csv rows of the old service: the number of the row in the whole result, from 0. */
export const rowIndexColumn: ResultColumn = { name: "__row_index", kind: "number", engineType: "BIGINT" };

/** File of a result. */
export interface ResultFile {
  readonly path: string;
  /** Number in the result of its first row. */
  readonly firstRow: number;
}

/**
 * Finds the rows that the files of a result begin with, from their footers. No footer is read of the last file.
 * @param paths in the order of the rows
 */
export async function resultFiles(paths: readonly string[]): Promise<readonly ResultFile[]> {
  if (paths.length === 0) throw new Error("the result has no file");
  const files: ResultFile[] = [];
  let firstRow = 0;
  for (const path of paths) {
    files.push({ path, firstRow });
    if (files.length < paths.length) firstRow += await parquetRowCount(path);
  }
  return files;
}

/**
 * Writes what stands behind FROM for the rows of a result, in their order: its columns and `file_row_number`, the number
 * of a row in the whole result. A range of these numbers reads only the files and row groups that it lies in.
 * @param place writes the place of a path in the SQL text
 */
export function resultRows(files: readonly ResultFile[], place: (path: string) => string): string {
  const rows = (path: string): string => `read_parquet(${place(path)}, file_row_number = true)`;
  const [first, ...others] = files;
  if (first !== undefined && others.length === 0) return rows(first.path);
  const numbered = files.map(
    ({ path, firstRow }) => `SELECT * REPLACE (file_row_number + ${firstRow} AS file_row_number) FROM ${rows(path)}`,
  );
  return `(${numbered.join(" UNION ALL ")})`;
}
