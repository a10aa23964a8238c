import type { DatabaseSync } from "node:sqlite";

/** Changes of a database. Those asked for in one turn of the event loop are committed together: a commit waits for the disk. */
export interface Commits {
  /** Makes a change, which is on disk when it resolves. One that throws changes nothing and leaves the others be. */
  change<T>(work: () => T): Promise<T>;
}

interface Change {
  /** Does the work; says how to tell the caller once all is on disk. */
  perform(): () => void;
  fail(error: unknown): void;
}

/** How long a change waits for another process that changes the database: other calls are answered in between. */
const busyPauseMs = 100;
const busyTries = 50;
const sqliteBusy = 5;

export function createCommits(database: DatabaseSync): Commits {
  let waiting: Change[] = [];

  function begin(triesLeft: number): void {
    try {
      database.exec("BEGIN IMMEDIATE");
    } catch (error) {
      if (triesLeft > 1 && isBusy(error)) setTimeout(begin, busyPauseMs, triesLeft - 1);
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
      const tell = changes.map(perform);
      database.exec("COMMIT");
      for (const each of tell) each();
    } catch (error) {
      // After some errors, a full disk for one, the database has rolled back by itself.
      if (database.isOpen && database.isTransaction) database.exec("ROLLBACK");
      for (const { fail } of changes) fail(error);
    }
  }

  function perform(change: Change): () => void {
    database.exec("SAVEPOINT change");
    try {
      const tell = change.perform();
      database.exec("RELEASE change");
      return tell;
    } catch (error) {
      if (!database.isTransaction) throw error;
      database.exec("ROLLBACK TO change; RELEASE change");
      return () => change.fail(error);
    }
  }

  return {
    change: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(begin, busyTries);
        const perform = (): (() => void) => {
          const outcome = work();
          return () => resolve(outcome);
        };
        waiting.push({ perform, fail: reject });
      }),
  };
}

function isBusy(error: unknown): boolean {
  // The lowest byte of a code is its kind.
  return error instanceof Error && "errcode" in error && (Number(error.errcode) & 0xff) === sqliteBusy;
}
