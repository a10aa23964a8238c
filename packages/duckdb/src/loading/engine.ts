import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { quotedName, quotedText } from "../engine/quoting.ts";
import { SourceError } from "../sources/origin.ts";

/** The engine in this process, for what the operator does with files: nothing that callers wrote runs here. */
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
    return await use(connection);
  } catch (error) {
    throw engineError(error);
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}

/** What the engine says of files is for the operator to mend. */
function engineError(error: unknown): unknown {
  const isEngineError = error instanceof Error && /^[A-Z][\w ]* Error: /.test(error.message);
  return isEngineError ? new SourceError(error.message.split("\n\n")[0] ?? "", { cause: error }) : error;
}

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

/** The catalog into which tables are loaded, attached to the connection. */
export interface Target {
  readonly connection: DuckDBConnection;
  readonly catalog: string;
  /** For files that are needed until the load has ended. */
  readonly workDirectory: string;
}

export async function createTable(
  { connection, catalog }: Target,
  schema: string | null,
  table: string | null,
  query: string,
): Promise<void> {
  if (schema === null || table === null) throw new Error("a table has a schema and a name");
  await connection.run(`CREATE SCHEMA IF NOT EXISTS ${quotedName(catalog, schema)}`);
  await connection.run(`CREATE TABLE ${quotedName(catalog, schema, table)} AS ${query}`);
}
