import { hash } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { isBusy } from "../common/sqlite-busy.ts";
import { schema } from "./schema.ts";

/** Digest of the schema without its layout. `PRAGMA user_version`, an integer of 32 bits, has that of a database. */
const schemaDigest = Buffer.from(hash("sha256", schema.replace(/\s+/g, " ")), "hex").readInt32BE();

/**
 * Opens the database of a server, and creates its schema if it is empty. A commit is durable once the log is flushed.
 * @param busyMs milliseconds for which a statement waits for a lock of another process; the wait blocks the event loop
 * @param prepare called once the schema exists, while statements still wait up to five seconds for a lock
 * @throws if the database has another schema
 */
export function openDatabase(path: string, busyMs = 5_000, prepare = (_: DatabaseSync): void => {}): DatabaseSync {
  const database = openFile(path);
  try {
    createSchema(database, path);
    prepare(database);
  } catch (error) {
    database.close();
    throw error;
  }
  // Opening waits for the disk at each commit; later commits are flushed together.
  database.exec(`PRAGMA synchronous = NORMAL; PRAGMA busy_timeout = ${busyMs}`);
  return database;
}

/** Opens the file and its write-ahead log. */
function openFile(path: string): DatabaseSync {
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 5_000 });
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;");
    return database;
  } catch (error) {
    database?.close();
    if (isBusy(error)) throw error;
    const reason = error instanceof Error ? error.message : error;
    throw new Error(
      `The store ${path} cannot be opened: ${reason}; check its permissions and those of its directory, or use the user that owns it.`,
      { cause: error },
    );
  }
}

function createSchema(database: DatabaseSync, path: string): void {
  const hasSchema = () => database.prepare("PRAGMA user_version").get()?.user_version === schemaDigest;
  if (hasSchema()) return;
  // Of several processes, one creates the schema, and one that is killed meanwhile leaves the database empty.
  database.exec("BEGIN IMMEDIATE");
  if (!hasSchema()) {
    if (database.prepare("SELECT 1 FROM sqlite_schema").get() !== undefined)
      throw new Error(
        `The store ${path} has the schema of another version of Quern; start that version, or use another data directory.`,
      );
    database.exec(`${schema} PRAGMA user_version = ${schemaDigest}`);
  }
  database.exec("COMMIT");
}

const compactPauseMs = 100;

/**
 * Writes the database anew, and empties its write-ahead log, so that the files have no bytes of deleted rows. Retries
 * each of both while another process uses the database.
 * @param retryMs milliseconds after which a step is not retried. Each try also waits for the lock, up to `busyMs`.
 *   @default 30,000
 * @throws if the database remains in use
 */
export async function compactDatabase(database: DatabaseSync, retryMs = 30_000): Promise<void> {
  await untilDone(() => {
    database.exec("VACUUM");
    return true;
  }, retryMs);
  const checkpoint = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)");
  await untilDone(() => checkpoint.get()?.busy === 0, retryMs);
}

/** Retries a step while it returns false or the database is locked. */
async function untilDone(step: () => boolean, retryMs: number): Promise<void> {
  const deadline = performance.now() + retryMs;
  do {
    try {
      if (step()) return;
    } catch (error) {
      if (!isBusy(error)) throw error;
    }
    await setTimeout(compactPauseMs);
  } while (performance.now() < deadline);
  throw new Error(
    "Another process uses the store, so its files may still have bytes of the deleted records; try again later.",
  );
}
