import { DatabaseSync } from "node:sqlite";
import { giveToOwner } from "./file-owner.ts";

/** Mutual exclusion between processes. */
export interface FileLock {
  /** Waits at most a second for the lock, calls `work` and releases the lock. @throws if another process keeps it */
  hold<T>(work: () => T): T;
  close(): void;
}

/**
 * Opens a lock on a file, which it creates. The lock is an exclusive transaction on an empty SQLite database, so that
 * the operating system releases it when the process ends for any reason.
 */
export function openFileLock(path: string): FileLock {
  const database = new DatabaseSync(path, { timeout: 1_000 });
  giveToOwner(path);
  // Without it, each lock creates and removes a journal file, which can wait for other writes to the disk.
  database.exec("PRAGMA journal_mode = MEMORY");
  return {
    hold(work) {
      database.exec("BEGIN EXCLUSIVE");
      try {
        return work();
      } finally {
        database.exec("ROLLBACK");
      }
    },
    close: () => database.close(),
  };
}
