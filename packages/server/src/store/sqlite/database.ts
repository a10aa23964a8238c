import { DatabaseSync } from "node:sqlite";
import { migrations } from "./migrations.ts";

/**
 * Opens the database of a server and applies the missing migrations. A commit is durable when it returns.
 * @param busyMs milliseconds for which a statement waits for a lock of another process; the wait blocks the event loop
 * @param prepare called after the migrations, while statements still wait up to five seconds for a lock
 * @throws if a newer version of the service has written the database
 */
export function openDatabase(path: string, busyMs = 5_000, prepare = (_: DatabaseSync): void => {}): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
  try {
    migrate(database);
    prepare(database);
  } catch (error) {
    database.close();
    throw error;
  }
  database.exec(`PRAGMA busy_timeout = ${busyMs}`);
  return database;
}

function migrate(database: DatabaseSync): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (version > migrations.length) {
    throw new Error("The data directory was written by a newer version of Quern. Start that version, or a later one.");
  }
  // One transaction: if the process ends in between, the database is unchanged.
  const missing = migrations.slice(version).join("\n");
  database.exec(`BEGIN IMMEDIATE; ${missing} PRAGMA user_version = ${migrations.length}; COMMIT;`);
}
