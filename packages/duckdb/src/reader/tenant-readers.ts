import type { Child } from "../processes/child.ts";
import { createProcessPool } from "../processes/process-pool.ts";
import {
  type PageProcess,
  type PageProcessOptions,
  readPage,
  readProfile,
  readSummary,
  startPageProcess,
} from "./page-process.ts";
import type { PageAnswer, PageTask, ProfileTask, SummaryTask } from "./task.ts";

/**
 * Reads filtered and sorted pages in processes that each serve one tenant, one page at a time. A page that does not end
 * can therefore be killed with its process, without loss of another page.
 */
export interface TenantReaders {
  /**
   * Reads a page. After an abort it interrupts the engine, and kills the process if that does not end the page soon.
   * @throws {EngineLostError} if the process ends before it answers
   */
  page(tenantId: string, task: PageTask, signal: AbortSignal): Promise<PageAnswer>;
  /** Profiles a column, as `page` reads a page. */
  profile(tenantId: string, task: ProfileTask, signal: AbortSignal): Promise<string>;
  /** Summarizes rows, as `page` reads a page. */
  summary(tenantId: string, task: SummaryTask, signal: AbortSignal): Promise<string>;
  /** Kills all processes. */
  close(): Promise<void>;
}

/** Unused processes of all tenants. */
const maxIdle = 4;
/** Resident memory above which a process is not kept. A new one has about 100 MB. */
const maxIdleBytes = 400_000_000;
/** Pages of one process. */
const maxUses = 500;

/**
 * Starts processes when pages need them, also while the disk is full, and keeps them for further pages of their tenants.
 * @param maxPages Maximum number of pages that are read at the same time.
 * @param maxIdleMs Time after which an unused process ends, in milliseconds.
 */
export function createTenantReaders(options: PageProcessOptions, maxPages: number, maxIdleMs = 60_000): TenantReaders {
  const spareDirectories = maxPages + maxIdle;
  const { workDirectory, userIds } = options;
  const processes = createProcessPool({
    workDirectory,
    userIds,
    name: "tenant-reader",
    maxIdleMs,
    maxIdle,
    maxIdleBytes,
    maxUses,
    spareDirectories,
    start: (directory) => startPageProcess(directory, options),
  });
  const inUse = new Set<Child>();
  const pages = new Set<Promise<unknown>>();
  let closed = false;

  async function inProcess<T>(tenantId: string, read: (process: PageProcess) => Promise<T>): Promise<T> {
    const process = await processes.acquire(tenantId);
    inUse.add(process.child);
    try {
      return await read(process);
    } finally {
      inUse.delete(process.child);
      await process.release(true); // an interrupted engine can be used again; the pool keeps no ended process
    }
  }

  async function counted<T>(tenantId: string, read: (process: PageProcess) => Promise<T>): Promise<T> {
    if (closed) throw new Error("The result reader is closed.");
    const page = inProcess(tenantId, read);
    pages.add(page);
    return page.finally(() => pages.delete(page));
  }

  return {
    page: (tenantId, task, signal) => counted(tenantId, (process) => readPage(process, task, signal)),
    profile: (tenantId, task, signal) => counted(tenantId, (process) => readProfile(process, task, signal)),
    summary: (tenantId, task, signal) => counted(tenantId, (process) => readSummary(process, task, signal)),
    async close() {
      closed = true;
      for (const child of inUse) child.kill();
      await processes.close();
      await Promise.allSettled(pages);
    },
  };
}
