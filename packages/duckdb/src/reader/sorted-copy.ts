import { createHash } from "node:crypto";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { mkdir, rename } from "node:fs/promises";
import { dirname, join } from "node:path";
import { firstRowOf } from "@quern/query-run/page";
import { siblingModule, startChild } from "../processes/child.ts";
import { type ChildDirectory, createChildDirectory } from "../processes/child-directory.ts";
import type { UserIds } from "../processes/user-ids.ts";
import { parquetRowCount } from "../results/parquet-row-count.ts";
import type { PageProcessOptions } from "./page-process.ts";
import { evictSortedCopies } from "./sorted-copy-cache.ts";
import { type CopyTask, type PageTask, sortedCopyName } from "./task.ts";

/** Results with fewer rows get no copy: sorting them for each page is faster. */
const minRows = 20_000;
/** Memory limit of a process that writes a copy, in bytes. */
const maxMemoryBytes = 3_000_000_000;

export interface SortedCopiesOptions {
  /** Writes the file {@link sortedCopyName} in a directory. Rejects after an abort. */
  readonly write: (task: PageTask, directory: ChildDirectory, signal: AbortSignal) => Promise<void>;
  /** Directory of incomplete copies. */
  readonly workDirectory: string;
  /** User ids of the processes. @default the user of the service for all */
  readonly userIds?: UserIds | undefined;
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
  /** Ends the copies in progress, and resolves when their processes have ended. */
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
  userIds,
  maxBytes,
}: SortedCopiesOptions): SortedCopies {
  /** Copies that pages can wait for, by the path of the complete copy. */
  const inProgress = new Map<string, Creation>();
  /** All copies in progress, also aborted ones whose process has not ended yet. */
  const unfinished = new Set<Creation>();
  let started = 0;

  function begin(task: PageTask, copy: string): Creation {
    const controller = new AbortController();
    const withdraw = (): void => {
      if (inProgress.get(copy) === creation) inProgress.delete(copy);
    };
    const abort = (): void => {
      withdraw(); // a later page must not wait for an aborted copy
      controller.abort();
    };
    const finished = create(task, copy, controller.signal).finally(() => {
      withdraw();
      unfinished.delete(creation);
    });
    const creation: Creation = { finished, abort, waiting: 0 };
    finished.catch(() => {}); // pages that wait get the error
    inProgress.set(copy, creation);
    unfinished.add(creation);
    return creation;
  }

  /** Writes a copy in a directory of its own and renames it, so that other pages see complete copies only. */
  async function create(task: PageTask, copy: string, signal: AbortSignal): Promise<void> {
    const directory = await createChildDirectory(join(workDirectory, `sort-${process.pid}-${++started}`), userIds);
    try {
      await write(task, directory, signal);
      signal.throwIfAborted();
      await mkdir(dirname(copy), { recursive: true });
      await rename(await directory.take(sortedCopyName), copy);
    } finally {
      await directory.remove();
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
      signal.throwIfAborted(); // the event of an earlier abort would never come
      const { result, conditions, sortKeys, rowCount, page } = task;
      if (sortKeys.length === 0 || rowCount < minRows) return task;
      const key = createHash("sha256")
        .update(JSON.stringify([conditions, sortKeys]))
        .digest("hex")
        .slice(0, 24);
      const copy = join(copyDirectory, result, `${key}.parquet`);
      try {
        if (!existsSync(copy)) {
          if (firstRowOf(page) === 0 || !mayCreate) return task;
          await wait(inProgress.get(copy) ?? begin(task, copy), signal);
        }
        return {
          ...task,
          paths: [copy],
          conditions: [],
          sortKeys: [],
          rowCount: parquetRowCount(copy),
          rowNumber: "row_number",
        };
      } catch {
        signal.throwIfAborted();
        return task; // without a copy, for example because of a full disk, the page is read from the result
      }
    },
    async close() {
      const last = [...unfinished];
      for (const { abort } of last) abort();
      await Promise.allSettled(last.map(({ finished }) => finished));
    },
  };
}

/** Returns a function that writes each sorted copy in a process of its own, which an abort kills. */
export function copyWriter(
  { spillMegabytes, memory, priority = "normal" }: Omit<PageProcessOptions, "workDirectory" | "userIds">,
  maxCopyBytes: number,
): SortedCopiesOptions["write"] {
  const module = siblingModule("./copy-worker", import.meta.url);
  const maxDirectoryBytes = spillMegabytes * 1_000_000 + maxCopyBytes;
  return async (task, directory, signal) => {
    signal.throwIfAborted();
    const { path, userId } = directory;
    const child = startChild({
      module,
      directory: path,
      kind: "copy",
      userId,
      memory,
      priority,
      maxMemoryBytes,
      maxDirectoryBytes,
    });
    const files = task.paths.map((file) => directory.share(file));
    signal.addEventListener("abort", child.kill, { once: true });
    try {
      const paths = files.map((file) => file.path);
      const copyTask: CopyTask = { task: { ...task, paths }, spillMegabytes };
      await child.call("copy", copyTask);
    } finally {
      signal.removeEventListener("abort", child.kill);
      child.kill();
      await child.ended;
    }
  };
}
