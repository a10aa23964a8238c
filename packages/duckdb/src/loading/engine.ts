import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import "../engine/package-corrections.ts";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { SourceError } from "../sources/origin.ts";

/**
 * Opens an engine in this process for a command of `quern sources`, and closes it afterwards. It never runs SQL of
 * callers.
 */
export async function withEngine<T>(
  spillDirectory: string,
  use: (connection: DuckDBConnection) => Promise<T>,
): Promise<T> {
  const instance = await DuckDBInstance.create(":memory:", {
    temp_directory: spillDirectory,
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
  });
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    // A checkpoint would otherwise join small row groups by writing the whole table again.
    await connection.run("SET max_vacuum_tasks = 0");
    return await use(connection);
  } catch (error) {
    throw engineError(error);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** Converts an error of the engine to a `SourceError`, because it is usually about a file of the operator. */
function engineError(error: unknown): unknown {
  const isEngineError = error instanceof Error && /^[A-Z][\w ]* Error: /.test(error.message);
  // A message about a row of a file has the whole row.
  return isEngineError ? new SourceError(shortened(error.message.split("\n\n")[0] ?? ""), { cause: error }) : error;
}

function shortened(message: string): string {
  return message.length > 1000 ? `${message.slice(0, 1000)}…` : message;
}

/** Attaches a file as a catalog during `use`. A catalog that was written is checkpointed, so that it is one file. */
export async function attached<T>(
  connection: DuckDBConnection,
  path: string,
  name: string,
  mode: "READ_ONLY" | "READ_WRITE",
  use: () => Promise<T>,
): Promise<T> {
  await connection.run(`ATTACH ${quotedText(path)} AS ${quotedName(name)} (${mode})`);
  const result = await use();
  if (mode === "READ_WRITE") await connection.run(`CHECKPOINT ${quotedName(name)}`);
  await connection.run(`DETACH ${quotedName(name)}`);
  return result;
}

/** Catalog into which tables are loaded. It is attached to the connection. */
export interface Target {
  readonly connection: DuckDBConnection;
  readonly catalog: string;
  /** Directory for temporary files of the load. */
  readonly workDirectory: string;
}

/** Creates a table from a query, and its schema if necessary. */
export async function createTable(
  { connection, catalog }: Target,
  schema: string | null,
  table: string | null,
  query: string,
): Promise<void> {
  if (schema === null || table === null) throw new Error("Invalid load: a table requires a schema and a name.");
  await connection.run(`CREATE SCHEMA IF NOT EXISTS ${quotedName(catalog, schema)}`);
  await connection.run(`CREATE TABLE ${quotedName(catalog, schema, table)} AS ${query}`);
}
