import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { EngineLostError } from "@quern/adapter";
import { type Child, siblingModule, startChild } from "../processes/child.ts";
import { createFairSemaphore } from "../processes/fair-semaphore.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { copyWriter, createSortedCopies } from "./sorted-copy.ts";
import { sweepSortedCopies } from "./sorted-copy-cache.ts";
import type { PageAnswer, PageTask } from "./task.ts";

/** Reads stored results in a process of its own, which is started again when it dies. */
export interface ResultReader {
  /** Pages of few callers are read at once; the tenants of the others take semaphore. */
  page(tenantId: string, task: PageTask, signal: AbortSignal): Promise<PageAnswer>;
  /** Removes the sorted copies of results that are not kept. @param isKept called with the names of results */
  sweep(isKept: (result: string) => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

export interface ReaderOptions extends ReadingLimits {
  /** Of all sorted copies together. */
  readonly maxCopyBytes: number;
  /** Where sorted copies are kept; on the disk of the work directory. @default `copies` in the work directory */
  readonly copyDirectory?: string;
  /** Where each process gets a directory of its own. */
  readonly workDirectory: string;
  /** Whether the disk has room for a sorted copy. */
  readonly hasSpace: () => Promise<boolean>;
}

const maxMemoryBytes = 4_000_000_000;
/** Pages of 30 MB that are under way at once; the others wait, so that the server's memory is bounded. */
const maxPagesUnderWay = 2;
const pageTimeoutMs = 60_000;
/** Longer than others have: pages of other callers are read in the same process. */
const interruptGraceMs = 10_000;

export function createResultReader(options: ReaderOptions): ResultReader {
  const { workDirectory, copyDirectory = join(workDirectory, "copies"), hasSpace, maxCopyBytes, ...limits } = options;
  const module = siblingModule("./worker", import.meta.url);
  const directory = join(workDirectory, `reader-${process.pid}`);
  const write = copyWriter(limits, maxCopyBytes);
  const copies = createSortedCopies({ write, workDirectory, copyDirectory, maxBytes: maxCopyBytes });
  const semaphore = createFairSemaphore(maxPagesUnderWay);
  let child: Promise<Child> | undefined;
  let closed = false;

  async function start(): Promise<Child> {
    await rm(directory, { recursive: true, force: true }); // what one that died has left
    await mkdir(directory, { recursive: true });
    const started = startChild({ module, directory, maxMemoryBytes, interruptGraceMs });
    started.call("open", limits).catch(() => {}); // the first page learns of it
    void started.ended.then(() => {
      child = undefined;
    });
    return started;
  }

  /** What could not be started, or has ended, is started anew by the next page. */
  function current(): Promise<Child> {
    child ??= start().catch((error: unknown) => {
      child = undefined;
      throw error;
    });
    return child;
  }

  async function call(page: PageTask, signal: AbortSignal): Promise<PageAnswer> {
    if (closed) throw new Error("the result reader is closed");
    return (await (await current()).call("page", page, signal)) as PageAnswer; // written by the worker beside this file
  }

  /** Reading changes nothing, so a page whose process died is read once more. */
  async function callTwice(page: PageTask, signal: AbortSignal): Promise<PageAnswer> {
    try {
      return await call(page, signal);
    } catch (error) {
      if (!(error instanceof EngineLostError) || closed || signal.aborted) throw error;
      return call(page, signal);
    }
  }

  current().catch(() => {}); // the first page tries again
  return {
    async page(tenantId, task, signal) {
      const release = await semaphore.acquire(tenantId, signal);
      try {
        const deadline = AbortSignal.any([signal, AbortSignal.timeout(pageTimeoutMs)]);
        const mayCopy = task.sortKeys.length > 0 && (await hasSpace());
        return await callTwice(await copies.of(task, mayCopy, deadline), deadline);
      } finally {
        release();
      }
    },
    sweep: (isKept) => sweepSortedCopies(copyDirectory, isKept),
    async close() {
      closed = true;
      await copies.close();
      const last = await child?.catch(() => undefined);
      last?.kill();
      await last?.ended;
    },
  };
}
