import type { DuckDBConnection } from "@duckdb/node-api";
import { inspectTree } from "./inspection.ts";

/** Condition on objects that a statement could create. Databases of a source are attached as read-only. */
const isWritable = "database_name IN (SELECT database_name FROM system.main.duckdb_databases() WHERE NOT readonly)";

/** Parts of an engine that a statement could change for later ones, each as rows of text. */
const parts: Readonly<Record<string, string>> = {
  setting: "concat(name, '=', value) FROM duckdb_settings()",
  database: "concat(database_name, ' ', path, ' ', readonly) FROM duckdb_databases()",
  // `duckdb_databases` does not list databases that are attached as hidden.
  attached: "database_name FROM pragma_database_size()",
  // The log stays when logging is disabled again.
  log: "concat(timestamp, ' ', message) FROM duckdb_logs()",
  secret: "name FROM duckdb_secrets()",
  schema: `concat(database_name, '.', schema_name) FROM duckdb_schemas() WHERE NOT internal AND ${isWritable}`,
  table: `concat(database_name, '.', table_name) FROM duckdb_tables() WHERE ${isWritable}`,
  view: `concat(database_name, '.', view_name) FROM duckdb_views() WHERE NOT internal AND ${isWritable}`,
  sequence: `concat(database_name, '.', sequence_name) FROM duckdb_sequences() WHERE ${isWritable}`,
  type: `concat(database_name, '.', type_name) FROM duckdb_types() WHERE NOT internal AND ${isWritable}`,
};

const stateQuery = Object.entries(parts)
  .map(([kind, rows]) => `SELECT '${kind} ' || ${rows}`)
  .join("\nUNION ALL\n");

/**
 * Compares the state of an engine after each statement with the one before its first statement. Each statement has a new
 * connection, so its variables, temporary objects, prepared statements, transactions and own settings end with it; the
 * guard checks the rest.
 */
export interface StateGuard {
  /** Records the state of the locked engine, before its first statement. */
  record(): Promise<void>;
  /** Returns true if the state is the recorded one. @param next connection of the next statement, not used yet */
  isUnchanged(next: DuckDBConnection): Promise<boolean>;
}

/**
 * Creates a guard of an engine.
 * @param own connection that the guard keeps, not used yet
 * @param connect opens a connection as it is opened for each statement
 */
export async function createStateGuard(
  own: DuckDBConnection,
  connect: () => Promise<DuckDBConnection>,
): Promise<StateGuard> {
  const stateStatement = await own.prepare(stateQuery);
  let counter = 0;
  // The first query of each kind creates objects of its own, so the last of these counts is that of any statement.
  for (let statement = 0; statement < 2; statement += 1) await countStatement();
  const countOfStatement = await countStatement();
  let recorded: string | undefined;

  /** Returns the number of objects that the engine creates for a connection and the check of a statement. */
  async function countStatement(): Promise<number> {
    const connection = await connect();
    const created = await newObjects(connection);
    await inspectTree(connection, "SELECT 1");
    return created;
  }

  /** Returns the number of objects that were created since the last call. */
  async function newObjects(next: DuckDBConnection): Promise<number> {
    const before = counter;
    counter = await catalogCounter(next);
    return counter - before;
  }

  async function state(): Promise<string> {
    return (await stateStatement.runAndReadAll()).getRows().map(String).sort().join("\n");
  }

  return {
    async record() {
      recorded = await state();
    },
    async isUnchanged(next) {
      // The engine creates some objects of its own when a statement first uses them.
      if ((await newObjects(next)) > countOfStatement && (await createdFunctions(own)).length > 0) return false;
      return (await state()) === recorded;
    },
  };
}

/**
 * Returns the functions and macros that a statement created for later ones. They are not a part of the state query,
 * because the engine takes 15 ms to list its functions. The names have a schema, because a macro could replace the
 * functions of this query. The state query needs none: it runs only if there is no macro.
 */
async function createdFunctions(connection: DuckDBConnection): Promise<readonly string[]> {
  const query = `SELECT function_name FROM system.main.duckdb_functions()
    WHERE NOT internal AND database_name <> 'temp' AND ${isWritable}`;
  return (await connection.runAndReadAll(query)).getRows().map(String);
}

/**
 * Returns a number that grows with each object that is created in any catalog of the engine, also with those that each
 * connection creates for itself.
 */
async function catalogCounter(connection: DuckDBConnection): Promise<number> {
  const query = "SELECT oid FROM system.main.duckdb_schemas() WHERE database_name = 'temp' AND schema_name = 'main'";
  return Number((await connection.runAndReadAll(query)).getRows()[0]?.[0]);
}
