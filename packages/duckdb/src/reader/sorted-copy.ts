import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { siblingModule, startChild } from "../processes/child.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { parquetRowCount } from "../results/parquet-row-count.ts";
import { evictSortedCopies } from "./sorted-copy-cache.ts";
import { type CopyTask, type PageTask, sortedCopyName } from "./task.ts";

/** Fewer rows are sorted faster than a file is made. */
const minRows = 20_000;

export interface SortedCopiesOptions {
  /** Writes what {@link sortedCopyName} names in a folder of its own, or rejects; it ends when the signal is aborted. */
  readonly write: (task: PageTask, folder: string, signal: AbortSignal) => Promise<void>;
  /** Where they lie until they are whole. */
  readonly workDirectory: string;
  /** Where they are kept, in a folder for each result. */
  readonly copyDirectory: string;
  /** Of all copies of all results; the oldest make room. */
  readonly maxBytes: number;
}

export interface SortedCopies {
  /**
   * The same page of a copy that has the conditions and the order of the task already, so that a late page costs what the
   * first does. The copy is made when a page beyond the first is asked for: the first alone needs no whole order.
   * @param mayMake whether the disk has room for one
   * @throws when `signal` is aborted
   */
  of(task: PageTask, mayMake: boolean, signal: AbortSignal): Promise<PageTask>;
  /** Gives up those that are being made. */
  close(): Promise<void>;
}

/** A copy that is being made for all who wait for it, and no longer than somebody does. */
interface Making {
  readonly copied: Promise<void>;
  readonly giveUp: () => void;
  waiting: number;
}

export function createSortedCopies({
  write,
  workDirectory,
  copyDirectory,
  maxBytes,
}: SortedCopiesOptions): SortedCopies {
  const underWay = new Map<string, Making>();
  let made = 0;

  function begin(task: PageTask, copy: string): Making {
    const controller = new AbortController();
    const end = (): void => {
      if (underWay.get(copy) === making) underWay.delete(copy);
    };
    const giveUp = (): void => {
      end(); // whoever comes now has another one made
      controller.abort();
    };
    const making: Making = { copied: make(task, copy, controller.signal).finally(end), giveUp, waiting: 0 };
    making.copied.catch(() => {}); // whoever still waits learns of it
    underWay.set(copy, making);
    return making;
  }

  async function make(task: PageTask, copy: string, signal: AbortSignal): Promise<void> {
    const folder = join(workDirectory, `sort-${process.pid}-${++made}`);
    await mkdir(folder, { recursive: true });
    try {
      await write(task, folder, signal);
      signal.throwIfAborted();
      await mkdir(dirname(copy), { recursive: true });
      await rename(join(folder, sortedCopyName), copy);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
    await evictSortedCopies(copyDirectory, maxBytes);
  }

  async function wait(making: Making, signal: AbortSignal): Promise<void> {
    making.waiting += 1;
    const gone = once(signal, "abort").then(() => {
      making.waiting -= 1;
      if (making.waiting === 0) making.giveUp();
    });
    await Promise.race([making.copied, gone]);
  }

  return {
    async of(task, mayMake, signal) {
      const { result, conditions, sortKeys, rowCount, page } = task;
      if (sortKeys.length === 0 || rowCount < minRows) return task;
      const key = createHash("sha256")
        .update(JSON.stringify([conditions, sortKeys]))
        .digest("hex")
        .slice(0, 24);
      const copy = join(copyDirectory, result, `${key}.parquet`);
      try {
        if (!existsSync(copy)) {
          if (page.number === 1 || !mayMake) return task;
          await wait(underWay.get(copy) ?? begin(task, copy), signal);
        }
        return {
          ...task,
          paths: [copy],
          conditions: [],
          sortKeys: [],
          rowCount: await parquetRowCount(copy),
          rowNumber: "row_number",
        };
      } catch {
        signal.throwIfAborted();
        return task; // a full disk, for one: the page can be had without, or says what is wrong
      }
    },
    async close() {
      const last = [...underWay.values()];
      for (const { giveUp } of last) giveUp();
      await Promise.allSettled(last.map(({ copied }) => copied));
    },
  };
}

const maxMemoryBytes = 3_000_000_000;

/** Writes each sorted copy in a process of its own, which is killed when nobody waits for it. */
export function copyWriter(limits: ReadingLimits, maxCopyBytes: number): SortedCopiesOptions["write"] {
  const module = siblingModule("./copy-worker", import.meta.url);
  const maxDirectoryBytes = limits.spillMegabytes * 1_000_000 + maxCopyBytes;
  return async (task, directory, signal) => {
    signal.throwIfAborted();
    const child = startChild({ module, directory, maxMemoryBytes, maxDirectoryBytes });
    signal.addEventListener("abort", child.kill, { once: true });
    try {
      const asked: CopyTask = { task, ...limits };
      await child.call("copy", asked);
    } finally {
      signal.removeEventListener("abort", child.kill);
      child.kill();
      await child.ended;
    }
  };
}
