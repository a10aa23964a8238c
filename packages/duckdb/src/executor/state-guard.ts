import type { DuckDBInstance, DuckDBPreparedStatement } from "@duckdb/node-api";

/** Parts of an engine that a statement could change for later ones. */
const objectsQuery = `
  SELECT concat('database ', database_name, ' ', path, ' ', readonly) FROM duckdb_databases()
  UNION ALL SELECT concat('secret ', name) FROM duckdb_secrets()
  -- The log stays when logging is disabled again.
  UNION ALL SELECT concat('log ', timestamp, ' ', message) FROM duckdb_logs()`;

const settingsQuery = "SELECT concat(name, '=', value) FROM duckdb_settings()";

/**
 * Statements after which the settings are compared. The lock of the configuration protects them, and reading them takes a
 * third of the processor time of a small statement.
 */
const settingsInterval = 8;

/**
 * Compares the state of an engine after each statement with the one before its first statement. Each statement has a new
 * connection, so its variables, temporary objects, prepared statements, transactions and own settings end with it. All
 * databases are read-only, so it can create no other objects. The guard checks the rest.
 */
export interface StateGuard {
  /** Records the state of the locked engine, before its first statement. */
  record(): Promise<void>;
  /** Returns true if the state is the recorded one. Compares the settings each eighth time. */
  isUnchanged(): Promise<boolean>;
}

/** Creates a guard, which keeps a connection of its own. */
export async function createStateGuard(instance: DuckDBInstance): Promise<StateGuard> {
  const connection = await instance.connect();
  const [objects, settings] = [await connection.prepare(objectsQuery), await connection.prepare(settingsQuery)];
  let recorded: readonly string[] = [];
  let checks = 0;

  async function stateOf(statement: DuckDBPreparedStatement): Promise<string> {
    return (await statement.runAndReadAll()).getRows().map(String).sort().join("\n");
  }

  return {
    async record() {
      recorded = [await stateOf(objects), await stateOf(settings)];
    },
    async isUnchanged() {
      checks += 1;
      const [ofObjects, ofSettings] = recorded;
      if ((await stateOf(objects)) !== ofObjects) return false;
      return checks % settingsInterval !== 0 || (await stateOf(settings)) === ofSettings;
    },
  };
}
