import type { DatabaseSync } from "node:sqlite";
import { isDiskFull } from "../common/disk-full.ts";
import { isBusy } from "../common/sqlite-busy.ts";
import type { LogFlush } from "./log-flush.ts";

/**
 * Group commit: changes that are requested in the same iteration of the event loop share one transaction, and
 * transactions that end during a flush of the log share the next one.
 */
export interface Commits {
  /**
   * Makes a change, which is durable when the promise resolves. A change that throws is rolled back; the others of its
   * group are kept.
   */
  change<T>(work: () => T): Promise<T>;
  /**
   * Makes a change, and does not wait for the disk. The change outlives a process that is killed, but a power failure
   * within about 100 ms can take it back.
   */
  changeUnflushed<T>(work: () => T): Promise<T>;
}

interface Change {
  /** Does the work. Returns a function that resolves the caller's promise, to be called after the commit. */
  perform(): () => void;
  fail(error: unknown): void;
}

/** Pause before a retry while another process has the write lock. The event loop serves other calls meanwhile. */
const busyPauseMs = 100;
const busyTries = 50;

/** Time after which a change that no caller waits for is flushed, in milliseconds. Most share the flush of another change. */
const lateFlushMs = 100;

/**
 * @param flush makes commits durable
 * @param freeSpace called if the disk is too full for a group of changes; the group is retried if it returns true
 */
export function createCommits(
  database: DatabaseSync,
  flush: Pick<LogFlush, "flushed" | "shortened" | "failure">,
  freeSpace: () => boolean = () => false,
): Commits {
  let waiting: Change[] = [];
  let lateFlush: NodeJS.Timeout | undefined;

  function begin(triesLeft: number): void {
    if (flush.failure !== undefined) {
      failAll(flush.failure);
      return;
    }
    const shortened = flush.shortened();
    if (shortened !== undefined) {
      void shortened.then(() => begin(triesLeft));
      return;
    }
    try {
      database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (triesLeft > 1 && isBusy(error)) setTimeout(begin, busyPauseMs, triesLeft - 1);
      else if (isDiskFull(error) && freeSpace()) begin(triesLeft);
      else failAll(error);
      return;
    }
    commit();
  }

  function failAll(error: unknown): void {
    const changes = waiting;
    waiting = [];
    for (const { fail } of changes) fail(error);
  }

  function commit(): void {
    const changes = waiting;
    waiting = [];
    try {
      const resolvers = changes.map(perform);
      database.exec("COMMIT");
      for (const resolve of resolvers) resolve();
    } catch (error) {
      // SQLite has rolled back by itself after some errors, such as a full disk.
      if (database.isOpen && database.isTransaction) database.exec("ROLLBACK");
      if (isDiskFull(error) && freeSpace()) {
        // At once, before another process uses the space.
        waiting = changes;
        begin(busyTries);
      } else for (const { fail } of changes) fail(error);
    }
  }

  function perform(change: Change): () => void {
    database.exec("SAVEPOINT change");
    try {
      const resolve = change.perform();
      database.exec("RELEASE change");
      return resolve;
    } catch (error) {
      // On a full disk the whole group is retried or fails, since the commit of the others would fail, too.
      if (!database.isTransaction || isDiskFull(error)) throw error;
      database.exec("ROLLBACK TO change; RELEASE change");
      return () => change.fail(error);
    }
  }

  function commitOf<T>(work: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(begin, busyTries);
      const perform = (): (() => void) => {
        const outcome = work();
        return () => resolve(outcome);
      };
      waiting.push({ perform, fail: reject });
    });
  }

  return {
    async change(work) {
      const outcome = await commitOf(work);
      clearTimeout(lateFlush);
      lateFlush = undefined;
      await flush.flushed();
      return outcome;
    },
    async changeUnflushed(work) {
      const outcome = await commitOf(work);
      lateFlush ??= setTimeout(() => {
        lateFlush = undefined;
        flush.flushed().catch(() => {}); // later changes report it
      }, lateFlushMs).unref();
      return outcome;
    },
  };
}
