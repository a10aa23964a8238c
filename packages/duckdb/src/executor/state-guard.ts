import type { DuckDBInstance, DuckDBPreparedStatement } from "@duckdb/node-api";

/** Parts of an engine that a statement could change for later ones. */
const objectsQuery = `
  SELECT concat('database ', database_name, ' ', path, ' ', readonly) FROM duckdb_databases()
  UNION ALL SELECT concat('secret ', name) FROM duckdb_secrets()
  -- The log stays when logging is disabled again.
  UNION ALL SELECT concat('log ', timestamp, ' ', message) FROM duckdb_logs()`;

/**
 * Settings that the lock of the configuration does not protect: the engine has a function for one, and statements may set
 * the other. The text runs anew each time, because a prepared statement keeps the values.
 */
const openSettingsQuery = "SELECT current_setting('enable_logging'), current_setting('threads')";

const settingsQuery = "SELECT concat(name, '=', value) FROM duckdb_settings()";

/** Statements after which all settings are compared. Reading them takes a third of the processor time of a small statement. */
const statementsPerSettingsCheck = 8;

/**
 * Compares the state of an engine after each statement with the one before its first statement. Each statement has a new
 * connection, so its variables, temporary objects, prepared statements, transactions and own settings end with it. All
 * databases are read-only, so it can create no other objects. The guard checks the rest.
 */
export interface StateGuard {
  /** Records the state of the locked engine, before its first statement. */
  record(): Promise<void>;
  /** Returns true if the state is the recorded one. Compares all settings each eighth time. */
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

  async function openState(): Promise<string> {
    return `${(await connection.runAndReadAll(openSettingsQuery)).getRows()}\n${await stateOf(objects)}`;
  }

  return {
    async record() {
      recorded = [await openState(), await stateOf(settings)];
    },
    async isUnchanged() {
      checks += 1;
      const [open, ofSettings] = recorded;
      if ((await openState()) !== open) return false;
      return checks % statementsPerSettingsCheck !== 0 || (await stateOf(settings)) === ofSettings;
    },
  };
}
