import type { DuckDBConnection } from "@duckdb/node-api";
import { quotedName } from "../engine/quoting.ts";
import { type FileOptions, originText, SourceError, type TableLoad } from "../sources/origin.ts";
import { csvQuery } from "./csv-query.ts";
import { createTable, type Target } from "./engine.ts";
import { type Files, type FilesQuery, inexactMarker, typeFlags } from "./files.ts";
import { jsonQuery } from "./json-query.ts";
import { parquetQuery } from "./parquet-query.ts";
import type { LoadReport } from "./report.ts";

/** Loads files as a table. @throws {SourceError} if a file cannot be loaded with all its rows and exact values */
export async function loadFiles(
  target: Target,
  { schema, table, origin }: TableLoad,
  files: Files,
  options: FileOptions,
): Promise<LoadReport> {
  const { connection, catalog, workDirectory } = target;
  let read = await filesQuery(connection, files, options, workDirectory);
  const create = () => createTable(target, schema, table, read.query);
  try {
    await create().catch(async (error: unknown) => {
      if (read.ofAllRows === undefined) throw error;
      read = await read.ofAllRows();
      await create();
    });
  } catch (error) {
    if (String(error).includes(inexactMarker)) throw await inexactError(connection, read, error);
    throw error;
  }
  const name = quotedName(catalog, schema ?? "main", table ?? "");
  const [row] = (await connection.runAndReadAll(`SELECT count(*) FROM ${name}`)).getRowsJson();
  const rows = Number(row?.[0]);
  if (read.rows !== undefined && rows !== read.rows)
    throw new SourceError(
      `Rows that the engine does not read: ${originText(origin)} has ${read.rows}, but ${rows} were read; set --delimiter, --quote and --header as the file has them`,
    );
  return {
    files: files.files.length,
    skipped: files.skipped,
    padded: read.padded,
    ignored: read.ignored,
    cut: read.cut ?? [],
  };
}

async function filesQuery(
  connection: DuckDBConnection,
  { format, files }: Files,
  options: FileOptions,
  workDirectory: string,
): Promise<FilesQuery> {
  if (format !== "csv" && options.csv !== undefined)
    throw new SourceError(`Invalid flags of CSV files: ${files[0]?.shown} is none; remove the flags`);
  if (format === "csv") return csvQuery(connection, files, options, workDirectory);
  if (format === "json") return jsonQuery(connection, files, options);
  if (options.allText === true || options.types !== undefined)
    throw new SourceError(`Invalid flags ${typeFlags}: Parquet files have types of their own; remove the flags`);
  return parquetQuery(connection, files);
}

/** Returns an error that names the first value which the type of its column cannot hold. */
async function inexactError(connection: DuckDBConnection, { inexact }: FilesQuery, cause: unknown): Promise<Error> {
  for (const { name, type, shown, text, invalid, from } of inexact) {
    const query = `SELECT n, to_json(left(v, 100)) FROM
      (SELECT ${text} AS v, ${invalid} AS is_invalid, row_number() OVER () AS n FROM ${from}) WHERE is_invalid LIMIT 1`;
    const [row] = (await connection.runAndReadAll(query)).getRowsJson();
    if (row !== undefined)
      return new SourceError(
        `Value that is not exactly a ${type}: ${row[1]} in the column ${name} of ${shown}, row ${row[0]}; correct it, or add --type ${name}=VARCHAR`,
        { cause },
      );
  }
  return new SourceError(String(cause), { cause });
}
