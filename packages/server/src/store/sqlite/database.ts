import { DatabaseSync } from "node:sqlite";
import { migrations } from "./migrations.ts";

/**
 * Opens the database that holds the state of a server, and brings it up to date; a commit is on disk when it returns.
 * @param busyMs how long a statement waits for another process that has the database; its own does nothing meanwhile
 * @param first what is done before anything else, waiting for another process as the migration does
 * @throws when a newer version of the service has written it
 */
export function openDatabase(path: string, busyMs = 5_000, first = (_: DatabaseSync): void => {}): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: 5_000 });
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
  try {
    migrate(database);
    first(database);
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
  // Where the process ends in the middle, the database is as it was before.
  const missing = migrations.slice(version).join("\n");
  database.exec(`BEGIN IMMEDIATE; ${missing} PRAGMA user_version = ${migrations.length}; COMMIT;`);
}
