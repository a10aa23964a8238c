import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../engine/quoting.ts";
import { SourceError } from "../sources/origin.ts";
import { type FilesQuery, literal, type OriginFile } from "./files.ts";

/**
 * Returns the query that reads Parquet files, and names the columns whose nanoseconds the engine cuts to microseconds.
 * @throws {SourceError} for decimals of more than 38 digits, which the engine reads as other numbers
 */
export async function parquetQuery(connection: DuckDBConnection, files: readonly OriginFile[]): Promise<FilesQuery> {
  const list = `[${files.map(({ path }) => quotedText(literal(path))).join(", ")}]`;
  const query = `SELECT file_name, name, TRY_CAST("precision" AS INTEGER) FROM parquet_schema(${list})
    WHERE TRY_CAST("precision" AS INTEGER) > 38 OR type = 'INT96'
      OR logical_type LIKE 'TimestampType(isAdjustedToUTC=1%NANOS=NanoSeconds%'`;
  const rows = (await connection.runAndReadAll(query)).getRowsJson();
  for (const [file, name, precision] of rows)
    if (precision !== null && Number(precision) > 38) {
      const shown = files.find(({ path }) => path === file)?.shown ?? file;
      throw new SourceError(
        `Decimals of ${precision} digits: the column ${name} of ${shown}; write it with at most 38 digits, or as text`,
      );
    }
  return {
    query: `SELECT * FROM read_parquet(${list}, union_by_name = true)`,
    ...{ padded: 0, ignored: 0, inexact: [] },
    cut: [...new Set(rows.map(([, name]) => String(name)))],
  };
}
