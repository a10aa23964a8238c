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

/** Results with fewer rows get no copy: sorting them for each page is faster. */
const minRows = 20_000;
/** Memory limit of a process that writes a copy, in bytes. */
const maxMemoryBytes = 3_000_000_000;

export interface SortedCopiesOptions {
  /** Writes the file {@link sortedCopyName} in a directory. Rejects after an abort. */
  readonly write: (task: PageTask, directory: string, signal: AbortSignal) => Promise<void>;
  /** Directory of incomplete copies. */
  readonly workDirectory: string;
  /** Directory of complete copies, with one directory for each result. */
  readonly copyDirectory: string;
  /** Largest size of all copies of all results, in bytes. The oldest copies are removed first. */
  readonly maxBytes: number;
}

/**
 * Sorted copies of results. Without a copy, each later page of a sorted result sorts the whole result again. A copy has
 * the rows in that order and without those that the filter excludes, so that each page costs as much as the first one.
 */
export interface SortedCopies {
  /**
   * Returns the same page of a copy, or the task itself if there is no copy. A page after the first one creates the
   * copy. The first page alone does not need it, because it needs only the first rows of the order.
   * @param mayCreate False if the disk has no space for a copy.
   * @throws the signal's reason
   */
  of(task: PageTask, mayCreate: boolean, signal: AbortSignal): Promise<PageTask>;
  /** Ends the copies in progress. */
  close(): Promise<void>;
}

/** Copy in progress. All pages that need it wait for it, and it is aborted when none waits any longer. */
interface Creation {
  readonly finished: Promise<void>;
  readonly abort: () => void;
  waiting: number;
}

/** Writes a copy when a page needs it, and shares it among all pages. */
export function createSortedCopies({
  write,
  workDirectory,
  copyDirectory,
  maxBytes,
}: SortedCopiesOptions): SortedCopies {
  /** Copies in progress, by the path of the complete copy. */
  const inProgress = new Map<string, Creation>();
  let started = 0;

  function begin(task: PageTask, copy: string): Creation {
    const controller = new AbortController();
    const end = (): void => {
      if (inProgress.get(copy) === creation) inProgress.delete(copy);
    };
    const abort = (): void => {
      end(); // a later page must not wait for an aborted copy
      controller.abort();
    };
    const finished = create(task, copy, controller.signal).finally(end);
    const creation: Creation = { finished, abort, waiting: 0 };
    finished.catch(() => {}); // pages that wait get the error
    inProgress.set(copy, creation);
    return creation;
  }

  /** Writes a copy in a directory of its own and renames it, so that other pages see complete copies only. */
  async function create(task: PageTask, copy: string, signal: AbortSignal): Promise<void> {
    const directory = join(workDirectory, `sort-${process.pid}-${++started}`);
    await mkdir(directory, { recursive: true });
    try {
      await write(task, directory, signal);
      signal.throwIfAborted();
      await mkdir(dirname(copy), { recursive: true });
      await rename(join(directory, sortedCopyName), copy);
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
    await evictSortedCopies(copyDirectory, maxBytes);
  }

  async function wait(creation: Creation, signal: AbortSignal): Promise<void> {
    creation.waiting += 1;
    const aborted = once(signal, "abort").then(() => {
      creation.waiting -= 1;
      if (creation.waiting === 0) creation.abort();
    });
    await Promise.race([creation.finished, aborted]);
  }

  return {
    async of(task, mayCreate, signal) {
      const { result, conditions, sortKeys, rowCount, page } = task;
      if (sortKeys.length === 0 || rowCount < minRows) return task;
      const key = createHash("sha256")
        .update(JSON.stringify([conditions, sortKeys]))
        .digest("hex")
        .slice(0, 24);
      const copy = join(copyDirectory, result, `${key}.parquet`);
      try {
        if (!existsSync(copy)) {
          if (page.number === 1 || !mayCreate) return task;
          await wait(inProgress.get(copy) ?? begin(task, copy), signal);
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
        return task; // without a copy, for example because of a full disk, the page is read from the result
      }
    },
    async close() {
      const last = [...inProgress.values()];
      for (const { abort } of last) abort();
      await Promise.allSettled(last.map(({ finished }) => finished));
    },
  };
}

/** Returns a function that writes each sorted copy in a process of its own, which an abort kills. */
export function copyWriter(limits: ReadingLimits, maxCopyBytes: number): SortedCopiesOptions["write"] {
  const module = siblingModule("./copy-worker", import.meta.url);
  const maxDirectoryBytes = limits.spillMegabytes * 1_000_000 + maxCopyBytes;
  return async (task, directory, signal) => {
    signal.throwIfAborted();
    const child = startChild({ module, directory, maxMemoryBytes, maxDirectoryBytes });
    signal.addEventListener("abort", child.kill, { once: true });
    try {
      const copyTask: CopyTask = { task, ...limits };
      await child.call("copy", copyTask);
    } finally {
      signal.removeEventListener("abort", child.kill);
      child.kill();
      await child.ended;
    }
  };
}
