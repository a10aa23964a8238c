import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineLostError } from "@quern/adapter";
import { type Child, siblingModule, startChild } from "../processes/child.ts";
import { createFairSemaphore } from "../processes/fair-semaphore.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { copyWriter, createSortedCopies } from "./sorted-copy.ts";
import { sweepSortedCopies } from "./sorted-copy-cache.ts";
import type { PageAnswer, PageTask } from "./task.ts";

/** Reads stored results in one child process. If the process ends, the next page starts another one. */
export interface ResultReader {
  /**
   * Reads a page. A few pages are read at the same time; others wait, and tenants are admitted round-robin.
   * @throws {StatementError} `ValueError` for a filter value that its column cannot be compared with, otherwise
   * `ReadError`
   */
  page(tenantId: string, task: PageTask, signal: AbortSignal): Promise<PageAnswer>;
  /** Removes the sorted copies of results that no longer exist. @param exists called with the names of results */
  sweep(exists: (result: string) => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** Limits and directories of the reader and its sorted copies. */
export interface ReaderOptions extends ReadingLimits {
  /** Largest size of all sorted copies together, in bytes. */
  readonly maxCopyBytes: number;
  /**
   * Directory of the sorted copies, on the file system of the work directory.
   * @default `copies` in the work directory
   */
  readonly copyDirectory?: string;
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
  /** Returns true if the disk has space for a sorted copy. */
  readonly hasSpace: () => Promise<boolean>;
}

const maxMemoryBytes = 4_000_000_000;
/** Pages that are read at the same time. A page can have 30 MB, so the limit bounds the memory of the server. */
const maxConcurrentPages = 2;
const pageTimeoutMs = 60_000;
/** Longer than the default, because killing the process would also end the page of another caller. */
const interruptGraceMs = 10_000;

/** Starts the process, and reads pages in it until `close`. */
export function createResultReader(options: ReaderOptions): ResultReader {
  const { workDirectory, copyDirectory = join(workDirectory, "copies"), hasSpace, maxCopyBytes, ...limits } = options;
  const module = siblingModule("./worker", import.meta.url);
  const directory = join(workDirectory, `reader-${process.pid}`);
  const write = copyWriter(limits, maxCopyBytes);
  const copies = createSortedCopies({ write, workDirectory, copyDirectory, maxBytes: maxCopyBytes });
  const semaphore = createFairSemaphore(maxConcurrentPages);
  let child: Promise<Child> | undefined;
  let closed = false;

  async function start(): Promise<Child> {
    await rm(directory, { recursive: true, force: true }); // files of an earlier process
    await mkdir(directory, { recursive: true });
    // Reading large pages one after the other must not delay the event loop of the server and the statements.
    const started = startChild({ module, directory, maxMemoryBytes, interruptGraceMs, priority: "low" });
    started.call("open", limits).catch(() => {}); // the first page fails with the same error
    void started.ended.then(() => {
      child = undefined;
    });
    return started;
  }

  /** Returns the process, and starts one if none runs. After a failed start the next page starts another one. */
  function current(): Promise<Child> {
    child ??= start().catch((error: unknown) => {
      child = undefined;
      throw error;
    });
    return child;
  }

  async function call(page: PageTask, signal: AbortSignal): Promise<PageAnswer> {
    if (closed) throw new Error("The result reader is closed.");
    return (await (await current()).call("page", page, signal)) as PageAnswer; // returned by `worker.ts`
  }

  /** Reads a page, and once more if the process ended: reading has no side effects. */
  async function callWithRetry(page: PageTask, signal: AbortSignal): Promise<PageAnswer> {
    try {
      return await call(page, signal);
    } catch (error) {
      if (!(error instanceof EngineLostError) || closed || signal.aborted) throw error;
      return call(page, signal);
    }
  }

  current().catch(() => {}); // the first page starts another process
  return {
    async page(tenantId, task, signal) {
      const release = await semaphore.acquire(tenantId, signal);
      try {
        const deadline = AbortSignal.any([signal, AbortSignal.timeout(pageTimeoutMs)]);
        const mayCopy = task.sortKeys.length > 0 && (await hasSpace());
        return await callWithRetry(await copies.of(task, mayCopy, deadline), deadline);
      } finally {
        release();
      }
    },
    sweep: (exists) => sweepSortedCopies(copyDirectory, exists),
    async close() {
      closed = true;
      await copies.close();
      const last = await child?.catch(() => undefined);
      last?.kill();
      await last?.ended;
    },
  };
}
