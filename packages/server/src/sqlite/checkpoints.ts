import { once } from "node:events";
import { fstatSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Worker } from "node:worker_threads";
import { startThread } from "./thread.ts";

/**
 * Checkpoints of a database in a thread, so that the disk does not block the event loop. With SQLite's own checkpoints,
 * the commit that finds a long log waits until the log is in the database, and until both are on the disk.
 */
export interface Checkpoints {
  /**
   * Returns undefined, or a promise that resolves when a checkpoint is done. Changes wait for it: otherwise, the log
   * would grow without end under a steady load.
   */
  due(): Promise<void> | undefined;
  close(): Promise<void>;
}

/** Length of the log from which a checkpoint is made, in bytes: 1,000 pages, as SQLite's own checkpoints. */
const maxLogBytes = 4_096_000;

/** @param file write-ahead log of the database */
export function createCheckpoints(database: DatabaseSync, location: string, file: number): Checkpoints {
  database.exec("PRAGMA wal_autocheckpoint = 0");
  let thread: Worker | undefined;
  let current: Promise<void> | undefined;
  /** Length of the log after the last checkpoint, which is not 0 if a reader or another process used the log. */
  let remainingBytes = 0;
  let end = (): void => {};
  const logBytes = (): number => fstatSync(file).size;

  function start(): Worker {
    const worker = startThread("checkpoint-worker", { workerData: location });
    worker.on("message", () => end());
    worker.on("error", () => {}); // the thread exits then
    worker.on("exit", () => {
      thread = undefined;
      end();
    });
    return worker;
  }

  function checkpoint(): Promise<void> {
    thread ??= start();
    thread.ref();
    thread.postMessage("checkpoint");
    return new Promise((resolve) => {
      end = () => {
        thread?.unref();
        remainingBytes = logBytes();
        current = undefined;
        resolve();
      };
    });
  }

  return {
    due() {
      if (current === undefined && logBytes() >= remainingBytes + maxLogBytes) current = checkpoint();
      return current;
    },
    async close() {
      await current;
      if (thread === undefined) return;
      const exited = once(thread, "exit");
      end = () => {};
      thread.ref();
      thread.postMessage("close");
      await exited;
    },
  };
}
