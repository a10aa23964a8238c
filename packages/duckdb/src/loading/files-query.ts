import type { DuckDBConnection } from "@duckdb/node-api";
import { interruptOnAbort } from "../engine/interrupt.ts";
import { type FileOptions, originText, SourceError, type TableLoad } from "../sources/origin.ts";
import { csvQuery } from "./csv-query.ts";
import { createTable, type Target } from "./engine.ts";
import { type Files, type FilesQuery, inexactMarker, typeFlags } from "./files.ts";
import { jsonQuery } from "./json-query.ts";
import { dropTables, sizeOf } from "./loaded-tables.ts";
import { parquetQuery } from "./parquet-query.ts";
import type { LoadReport } from "./report.ts";

/** Loads files as a table. @throws {SourceError} if a file cannot be loaded with all its rows and exact values */
export async function loadFiles(
  target: Target,
  load: TableLoad,
  files: Files,
  options: FileOptions,
): Promise<LoadReport> {
  const { connection, workDirectory } = target;
  for (let read = await filesQuery(connection, files, options, workDirectory); ; ) {
    const error = await failureOf(target, load, read);
    await read.close?.();
    if (error === undefined) {
      const { padded, ignored, cut = [] } = read;
      return { files: files.files.length, skipped: files.skipped, padded, ignored, cut };
    }
    if (read.next === undefined)
      throw String(error).includes(inexactMarker) ? await inexactError(connection, read, error) : error;
    await dropTables(target, load);
    read = await read.next();
  }
}

/** Creates the table, and returns undefined if it has all rows of the files. @throws {SourceError} for files that cannot be loaded */
async function failureOf(target: Target, load: TableLoad, { query, check }: FilesQuery): Promise<unknown> {
  const { schema, table, origin } = load;
  const created = createTable(target, schema, table, query).then(
    () => undefined,
    (error: unknown) => error,
  );
  const refused = new AbortController();
  const stop = interruptOnAbort(target.connection, refused.signal);
  let counted: number | undefined;
  try {
    counted = await check?.();
  } catch (error) {
    refused.abort();
    throw error;
  } finally {
    await created;
    stop();
  }
  const error = await created;
  if (error !== undefined || check === undefined) return error;
  const { rows } = await sizeOf(target, load);
  if (rows === counted) return undefined;
  return new SourceError(
    `Rows that the engine does not read: ${originText(origin)} has ${counted}, but ${rows} were read; set --delimiter, --quote and --header as the file has them`,
  );
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
    throw new SourceError(
      `Invalid flags ${typeFlags}: ${format === "arrow" ? "Arrow" : "Parquet"} files have types of their own; remove the flags`,
    );
  if (format === "parquet") return parquetQuery(connection, files);
  // The libraries of Arrow are imported only when they are needed.
  const { arrowQuery } = await import("./arrow-query.ts");
  return arrowQuery(connection, files, workDirectory);
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
