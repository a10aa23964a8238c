import { statSync } from "node:fs";
import type { DuckDBConnection } from "@duckdb/node-api";
import { isStatementError, StatementError, type StatementFailure, type UploadedTable } from "@quern/adapter";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { onEngine } from "./engine-error.ts";

/** Buffer of the engine for the largest files, in bytes. Each thread that scans a file has some. */
const maxBufferBytes = 16_000_000;
const minBufferBytes = 65_536;

/** Returns the SQL that reads a file. The engine detects the form and the types, as for a file of its own. */
function readOf({ format, path }: UploadedTable): string {
  if (format === "parquet") return `system.main.read_parquet(${quotedText(path)})`;
  // No line or object is larger than its file. The buffers for larger ones would take 60 MB for each small file.
  const { size } = statSync(path);
  const bytes = Math.max(size + 1, minBufferBytes);
  const buffer = format === "csv" ? `buffer_size = ${bytes}` : `maximum_object_size = ${bytes}`;
  return `system.main.read_${format}(${quotedText(path)}${bytes < maxBufferBytes ? `, ${buffer}` : ""})`;
}

/** Tables and views that a statement finds by a name alone. */
const visibleQuery = `
  SELECT table_name AS name, database_name, schema_name, internal FROM system.main.duckdb_tables()
  UNION ALL SELECT view_name, database_name, schema_name, internal FROM system.main.duckdb_views()`;

/**
 * Makes files of the caller the tables of a statement: temporary views of its connection, which end with it.
 * @throws {StatementError} if a name is that of another table, or the engine cannot read a file
 */
export async function createUploadTables(
  connection: DuckDBConnection,
  uploads: readonly UploadedTable[],
): Promise<void> {
  if (uploads.length === 0) return;
  await refuseTakenNames(connection, uploads);
  for (const upload of uploads) {
    const { name } = upload;
    const view = `CREATE TEMP VIEW ${quotedName(name)} AS SELECT * FROM ${readOf(upload)}`;
    await onEngine("", () => connection.run(view)).catch((error: unknown) => {
      throw isStatementError(error) ? new StatementError(unreadable(error.failure, name)) : error;
    });
  }
}

/** Refuses the name of a table of the source or of the engine, which a file would replace without a sign. */
async function refuseTakenNames(connection: DuckDBConnection, uploads: readonly UploadedTable[]): Promise<void> {
  const names = uploads.map(({ name }) => quotedText(name)).join(", ");
  const query = `SELECT name FROM (${visibleQuery}) WHERE system.main.lower(name) IN
    (SELECT system.main.lower(unnest([${names}]))) AND
    (schema_name IN ('main', 'pg_catalog') AND (internal OR database_name = system.main.current_database()))`;
  const [row] = await onEngine("", async () => (await connection.runAndReadAll(query)).getRows());
  if (row === undefined) return;
  throw new StatementError({
    name: "TableNameTaken",
    message: `Invalid name of an uploaded table: ${JSON.stringify(String(row[0]))} is a table or view of the data source; choose another name.`,
    data: { category: "USER", engine: "duckdb", retryable: false },
  });
}

/** Describes a failure whose message names an uploaded file as one of that file, under the name of its table. */
export function failureOfUploads(failure: StatementFailure, uploads: readonly UploadedTable[]): StatementFailure {
  const found = uploads.find(({ path }) => failure.message.includes(path));
  if (found === undefined) return failure;
  const message = uploads.reduce((text, { name, path }) => text.replaceAll(path, `<${name}>`), failure.message);
  return ofCaller({ ...failure, message });
}

function unreadable(failure: StatementFailure, name: string): StatementFailure {
  return ofCaller({ ...failure, message: `The uploaded table ${JSON.stringify(name)}: ${failure.message}` });
}

/** A file that cannot be read is a fault of the caller, and never one of the data source. */
function ofCaller({ data, ...failure }: StatementFailure): StatementFailure {
  const { position: _, line: __, column: ___, ...others } = data;
  return { ...failure, data: { ...others, category: "USER", retryable: false } };
}
