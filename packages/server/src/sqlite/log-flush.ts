import { closeSync, fdatasync, openSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { promisify } from "node:util";
import { UnavailableError } from "@quern/adapter";
import { createCheckpoints } from "./checkpoints.ts";

/**
 * Flushes the write-ahead log of a database to the disk. The event loop serves other calls meanwhile, whereas with
 * `synchronous = FULL` each commit would block it.
 */
export interface LogFlush {
  /**
   * Resolves when all earlier commits are durable. Calls during a flush share the next one.
   * @throws {UnavailableError} if this or an earlier flush has failed
   */
  flushed(): Promise<void>;
  /**
   * Resolves when no earlier commit waits for a flush. A reader of runs waits for it before it answers, so that nobody
   * sees the end of a run that a power failure could take back.
   * @throws {UnavailableError} if a flush has failed
   */
  idle(): Promise<void>;
  /** Returns undefined, or a promise that resolves when the log is short enough for more changes. */
  shortened(): Promise<void> | undefined;
  /** Error of the flush that has failed. No change is made after it. */
  readonly failure: UnavailableError | undefined;
  /** Closes the log after the flushes in progress. */
  close(): Promise<void>;
}

/** Flush of a database in memory. */
export const noFlush: LogFlush = {
  flushed: async () => {},
  idle: async () => {},
  shortened: () => undefined,
  failure: undefined,
  close: async () => {},
};

/**
 * Opens the write-ahead log of a database, which stays the same file while a connection is open.
 * @param sync flushes the data of a file @default `fdatasync`
 */
export function createLogFlush(database: DatabaseSync, sync = promisify(fdatasync)): LogFlush {
  const location = database.location(); // without symbolic links; null in memory
  if (location === null) return noFlush;
  const file = openSync(`${location}-wal`, "r+");
  const checkpoints = createCheckpoints(database, location, file);
  /** The latest flush, which has begun or follows the one in progress. It stays rejected after a failure. */
  let latest = Promise.resolve();
  let hasBegun = true;
  let unfinished = 0;
  let failure: UnavailableError | undefined;

  async function flushAfter(previous: Promise<void>): Promise<void> {
    await previous;
    hasBegun = true;
    try {
      await sync(file);
    } catch (cause) {
      // The log may have a gap on the disk, which would hide all later commits after a power failure.
      failure = new UnavailableError("The store could not be flushed to the disk; check the disk, then restart.", {
        cause,
      });
      throw failure;
    }
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

  return {
    flushed,
    idle: () => latest,
    shortened: checkpoints.due,
    get failure() {
      return failure;
    },
    async close() {
      while (unfinished > 0) await latest.catch(() => {});
      await checkpoints.close();
      closeSync(file);
    },
  };
}
