import type { DuckDBConnection } from "@duckdb/node-api";

/** Condition on objects that a statement could create. Databases of a source are attached as read-only. */
const isWritable = "database_name IN (SELECT database_name FROM duckdb_databases() WHERE NOT readonly)";

/** Parts of an engine that a statement could change for later ones, each as rows of text. */
const parts: Readonly<Record<string, string>> = {
  setting: "concat(name, '=', value) FROM duckdb_settings()",
  database: "concat(database_name, ' ', path, ' ', readonly) FROM duckdb_databases()",
  secret: "name FROM duckdb_secrets()",
  variable: "name FROM duckdb_variables()",
  "prepared statement": "name FROM duckdb_prepared_statements()",
  schema: `concat(database_name, '.', schema_name) FROM duckdb_schemas() WHERE NOT internal AND ${isWritable}`,
  table: `concat(database_name, '.', table_name) FROM duckdb_tables() WHERE ${isWritable}`,
  view: `concat(database_name, '.', view_name) FROM duckdb_views() WHERE NOT internal AND ${isWritable}`,
  sequence: `concat(database_name, '.', sequence_name) FROM duckdb_sequences() WHERE ${isWritable}`,
  type: `concat(database_name, '.', type_name) FROM duckdb_types() WHERE NOT internal AND ${isWritable}`,
};

const stateQuery = Object.entries(parts)
  .map(([kind, rows]) => `SELECT '${kind} ' || ${rows}`)
  .join("\nUNION ALL\n");

/** Compares the state that a statement finds with the one that the first statement found. */
export interface StateGuard {
  /** Records the state of the locked engine, before its first statement. */
  record(connection: DuckDBConnection): Promise<void>;
  /** Returns true if the state is the recorded one. @param connection connection of the next statement */
  isUnchanged(connection: DuckDBConnection): Promise<boolean>;
}

/**
 * Creates a guard of an engine.
 * @param connection first connection of the engine
 * @param connect opens another connection, as it is done for each statement
 */
export async function createStateGuard(
  connection: DuckDBConnection,
  connect: () => Promise<DuckDBConnection>,
): Promise<StateGuard> {
  await catalogCounter(connection); // the first query of the counter creates objects of its own
  let counter = await catalogCounter(await connect());
  const countOfConnection = await newObjects(await connect());
  let recorded: string | undefined;

  /** Returns the number of objects that were created since the last call. */
  async function newObjects(on: DuckDBConnection): Promise<number> {
    const before = counter;
    counter = await catalogCounter(on);
    return counter - before;
  }

  return {
    async record(on) {
      recorded = await engineState(on);
    },
    async isUnchanged(on) {
      // The engine creates some objects of its own when a statement first uses them.
      if ((await newObjects(on)) > countOfConnection && (await createdFunctions(on)).length > 0) return false;
      return (await engineState(on)) === recorded;
    },
  };
}

async function engineState(connection: DuckDBConnection): Promise<string> {
  return (await connection.runAndReadAll(stateQuery)).getRows().map(String).sort().join("\n");
}

/**
 * Returns the functions and macros that a statement created for later ones. They are not a part of the state query,
 * because the engine takes 15 ms to list its functions.
 */
async function createdFunctions(connection: DuckDBConnection): Promise<readonly string[]> {
  const query = `SELECT function_name FROM duckdb_functions()
    WHERE NOT internal AND database_name <> 'temp' AND ${isWritable}`;
  return (await connection.runAndReadAll(query)).getRows().map(String);
}

/**
 * Returns a number that grows with each object that is created in any catalog of the engine, also with those that each
 * connection creates for itself.
 */
async function catalogCounter(connection: DuckDBConnection): Promise<number> {
  const query = "SELECT oid FROM duckdb_schemas() WHERE database_name = 'temp' AND schema_name = 'main'";
  return Number((await connection.runAndReadAll(query)).getRows()[0]?.[0]);
}
