import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedText } from "../engine/quoting.ts";
import { SourceError } from "../sources/origin.ts";
import { hasVariant } from "./column-types.ts";
import { type FilesQuery, literal, type OriginFile } from "./files.ts";

/**
 * Returns the query that reads Parquet files, and names the columns whose nanoseconds the engine cuts to microseconds.
 * @throws {SourceError} for decimals of more than 38 digits, which the engine reads as other numbers, and for columns that it
 * cannot load
 */
export async function parquetQuery(connection: DuckDBConnection, files: readonly OriginFile[]): Promise<FilesQuery> {
  await refuseUnknownColumns(connection, files);
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
    padded: 0,
    ignored: 0,
    inexact: [],
    cut: [...new Set(rows.map(([, name]) => String(name)))],
  };
}

/** Refuses columns that the engine cannot load, with the name of the file and of the column. @throws {SourceError} */
async function refuseUnknownColumns(connection: DuckDBConnection, files: readonly OriginFile[]): Promise<void> {
  for (const { path, shown } of files) {
    const described = connection.runAndReadAll(`DESCRIBE FROM read_parquet(${quotedText(literal(path))})`);
    const reader = await described.catch((cause: unknown) => {
      const column = /column '(.*)' has invalid CRS/.exec(String(cause))?.[1];
      if (column === undefined) throw cause;
      throw new SourceError(
        `Coordinate system that is not PROJJSON: the column ${column} of ${shown}; write it as PROJJSON, as GeoParquet has it, or without one`,
        { cause },
      );
    });
    for (const [name, type] of reader.getRows().map((row) => row.map(String)))
      if (hasVariant(type ?? ""))
        throw new SourceError(`Unsupported type: the column ${name} of ${shown} has a VARIANT; write it as JSON text`);
  }
}
