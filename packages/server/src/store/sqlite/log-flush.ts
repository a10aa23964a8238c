import { closeSync, fdatasync, openSync } from "node:fs";
import { promisify } from "node:util";

/**
 * Flushes the write-ahead log of a database to the disk. The event loop serves other calls meanwhile, whereas with
 * `synchronous = FULL` each commit would block it.
 */
export interface LogFlush {
  /** Resolves when all earlier commits are durable. Calls during a flush share the next one. */
  flushed(): Promise<void>;
  /**
   * Resolves when no earlier commit waits for a flush. A reader waits for it before it answers, so that nobody sees a
   * change that a power failure could take back.
   */
  idle(): Promise<void>;
  /** Closes the log after the flush in progress. */
  close(): Promise<void>;
}

/** Flush of a database in memory, or of one whose commits are durable when they return. */
export const noFlush: LogFlush = { flushed: async () => {}, idle: async () => {}, close: async () => {} };

/**
 * Opens the write-ahead log of a database, which stays the same file while a connection is open.
 * @param sync flushes the data of a file @default `fdatasync`
 */
export function createLogFlush(databasePath: string, sync = promisify(fdatasync)): LogFlush {
  const file = openSync(`${databasePath}-wal`, "r+");
  /** The latest flush, which has begun or follows the one in progress. It stays rejected after a failure. */
  let latest = Promise.resolve();
  let hasBegun = true;
  let unfinished = 0;

  async function flushAfter(previous: Promise<void>): Promise<void> {
    // If it failed, the log may have a gap on the disk, which would hide all later commits: these fail, too.
    await previous;
    hasBegun = true;
    await sync(file);
  }

  function flushed(): Promise<void> {
    if (!hasBegun) return latest; // it covers the commits up to its beginning
    hasBegun = false;
    unfinished += 1;
    latest = flushAfter(latest).finally(() => {
      unfinished -= 1;
    });
    latest.catch(() => {}); // the callers have the error
    return latest;
  }

  async function idle(): Promise<void> {
    if (unfinished > 0) await latest.catch(() => {});
  }

  return {
    flushed,
    idle,
    async close() {
      await idle();
      closeSync(file);
    },
  };
}
