import type { DuckDBInstance } from "@duckdb/node-api";

/** Parts of an engine that a statement could change for later ones. */
const stateQuery = `
  SELECT concat('setting ', name, '=', value) FROM duckdb_settings()
  UNION ALL SELECT concat('database ', database_name, ' ', path, ' ', readonly) FROM duckdb_databases()
  UNION ALL SELECT concat('secret ', name) FROM duckdb_secrets()
  -- The log stays when logging is disabled again.
  UNION ALL SELECT concat('log ', timestamp, ' ', message) FROM duckdb_logs()`;

/**
 * Compares the state of an engine after each statement with the one before its first statement. Each statement has a new
 * connection, so its variables, temporary objects, prepared statements, transactions and own settings end with it. All
 * databases are read-only, so it can create no other objects. The guard checks the rest.
 */
export interface StateGuard {
  /** Records the state of the locked engine, before its first statement. */
  record(): Promise<void>;
  /** Returns true if the state is the recorded one. */
  isUnchanged(): Promise<boolean>;
}

/** Creates a guard, which keeps a connection of its own. */
export async function createStateGuard(instance: DuckDBInstance): Promise<StateGuard> {
  const connection = await instance.connect();
  const statement = await connection.prepare(stateQuery);
  let recorded: string | undefined;

  async function state(): Promise<string> {
    return (await statement.runAndReadAll()).getRows().map(String).sort().join("\n");
  }

  return {
    async record() {
      recorded = await state();
    },
    isUnchanged: async () => (await state()) === recorded,
  };
}
