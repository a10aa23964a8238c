import { join } from "node:path";
import {
  createFairSemaphore,
  type FairSemaphore,
  isEngineLostError,
  isStatementError,
  StatementError,
  startDeadline,
} from "@quern/adapter";
import type { PageProcessOptions } from "./page-process.ts";
import { createReadAhead } from "./read-ahead.ts";
import { createSharedReader } from "./shared-reader.ts";
import { copyWriter, createSortedCopies } from "./sorted-copy.ts";
import { sweepSortedCopies } from "./sorted-copy-cache.ts";
import { isPlain, type PageAnswer, type PageTask, type ProfileTask, type SummaryTask } from "./task.ts";
import { createTenantReaders } from "./tenant-readers.ts";

/**
 * Reads stored results: plain pages of all tenants in one process, filtered and sorted pages in processes of their
 * tenant. A tenant reads at most two pages of each kind at the same time, so that it alone does not make the first page
 * of another tenant wait.
 */
export interface ResultReader {
  /**
   * Reads a page. If a caller reads plain page after page, the next page is read in advance, unless too many pages are
   * being read.
   * @throws {StatementError} `ValueError` for a filter value that its column cannot be compared with, `PageTimedOut` for
   * a filtered or sorted page that takes too long, `TooManyPages` if too many pages of the tenant wait or this one has
   * waited too long, `LimitExceeded` if its process exceeds a limit, `ReadError` for other errors of the engine
   * @throws {EngineLostError} if the process of the page ends twice, or once after a plain page has taken 60 seconds
   */
  page(tenantId: string, task: PageTask, signal: AbortSignal): Promise<PageAnswer>;
  /**
   * Profiles a column of the rows that meet conditions, with the limits and errors of a filtered page.
   * @returns JSON text of the members of a profile, without the outer braces
   */
  profile(tenantId: string, task: ProfileTask, signal: AbortSignal): Promise<string>;
  /**
   * Summarizes the rows that meet conditions in groups, with the limits and errors of a filtered page.
   * @returns JSON text of the summary
   * @throws {StatementError} also `TooManyGroups`, `SumTooLarge`, and `SummaryTooLarge` for an answer of more than `maxBytes`
   */
  summary(tenantId: string, task: SummaryTask, signal: AbortSignal): Promise<string>;
  /** Removes the sorted copies of results that no longer exist. @param exists called with the names of results */
  sweep(exists: (result: string) => Promise<boolean>): Promise<void>;
  close(): Promise<void>;
}

/** Limits and directories of the reader and its sorted copies. */
export interface ReaderOptions extends PageProcessOptions {
  /** Time after which a filtered or sorted page is stopped, in seconds. It waits at most as long for other pages. */
  readonly filteredPageTimeoutSeconds: number;
  /** Largest size of all sorted copies together, in bytes. */
  readonly maxCopyBytes: number;
  /**
   * Directory of the sorted copies, on the file system of the work directory.
   * @default `copies` in the work directory
   */
  readonly copyDirectory?: string;
  /** Returns true if the disk has space for a sorted copy. */
  readonly hasSpace: () => Promise<boolean>;
}

/** Pages that are read at the same time. The numbers bound the memory of the server: by default, a page can have 30 MB. */
const maxPages = { plain: 3, filtered: 6 };
/** Pages of one tenant that are read at the same time, of each kind. */
const maxPagesOfTenant = 2;
/** Pages of one tenant that wait, of each kind. */
const maxWaitingPages = 100;
const plainTimeoutMs = 60_000;

/** Reads pages in processes of its own until `close`. The first plain page starts their process. */
export function createResultReader(options: ReaderOptions): ResultReader {
  const { workDirectory, copyDirectory = join(workDirectory, "copies"), userIds } = options;
  const { hasSpace, maxCopyBytes, filteredPageTimeoutSeconds } = options;
  const filteredTimeoutMs = filteredPageTimeoutSeconds * 1_000;
  const shared = createSharedReader(options);
  // A filter decides how much processor time its page takes, so it must not delay the calls and plain pages of others.
  const filtered = { ...options, priority: options.priority === "low" ? "low" : "reduced" } as const;
  const tenants = createTenantReaders(filtered, maxPages.filtered);
  const write = copyWriter(filtered, maxCopyBytes);
  const copies = createSortedCopies({ write, workDirectory, copyDirectory, userIds, maxBytes: maxCopyBytes });
  const plainPermits = createFairSemaphore(maxPages.plain, maxPagesOfTenant);
  const filteredPermits = createFairSemaphore(maxPages.filtered, maxPagesOfTenant);

  async function plainPage(tenantId: string, task: PageTask, signal: AbortSignal): Promise<PageAnswer> {
    const release = await acquirePermit(plainPermits, tenantId, plainTimeoutMs, signal);
    const deadline = startDeadline(plainTimeoutMs);
    try {
      const either = AbortSignal.any([signal, deadline.signal]);
      return await withRetry(() => shared.page(task, either), either);
    } finally {
      deadline.end();
      release();
    }
  }

  /** Reads in a process of the tenant, with a permit and a deadline. */
  async function filteredRead<T>(
    tenantId: string,
    signal: AbortSignal,
    read: (either: AbortSignal) => Promise<T>,
  ): Promise<T> {
    const release = await acquirePermit(filteredPermits, tenantId, filteredTimeoutMs, signal);
    const deadline = startDeadline(filteredTimeoutMs);
    const either = AbortSignal.any([signal, deadline.signal]);
    try {
      return await read(either);
    } catch (error) {
      if (!deadline.signal.aborted || signal.aborted || isValueError(error)) throw error;
      throw failure("PageTimedOut", `The page took longer than ${filteredPageTimeoutSeconds} seconds.`);
    } finally {
      deadline.end();
      release();
    }
  }

  const filteredPage = (tenantId: string, task: PageTask, signal: AbortSignal): Promise<PageAnswer> =>
    filteredRead(tenantId, signal, async (either) => {
      const mayCopy = task.sortKeys.length > 0 && (await hasSpace());
      const stored = await copies.of(task, mayCopy, either);
      return withRetry(() => tenants.page(tenantId, stored, either), either);
    });

  /** Starts to read a page that no caller waits for. Returns undefined if the reader is busy. */
  function readIdle(tenantId: string, task: PageTask): Promise<PageAnswer> | undefined {
    const release = plainPermits.tryAcquire(tenantId);
    if (release === undefined) return undefined;
    const deadline = startDeadline(plainTimeoutMs);
    return shared.page(task, deadline.signal).finally(() => {
      deadline.end();
      release();
    });
  }

  const ahead = createReadAhead(readIdle);

  return {
    page(tenantId, task, signal) {
      const read = () => ahead.page(tenantId, task, () => plainPage(tenantId, task, signal), signal);
      return withAbortError(isPlain(task) ? read() : filteredPage(tenantId, task, signal), signal);
    },
    profile(tenantId, task, signal) {
      const read = (either: AbortSignal) => withRetry(() => tenants.profile(tenantId, task, either), either);
      return withAbortError(filteredRead(tenantId, signal, read), signal);
    },
    summary(tenantId, task, signal) {
      const read = (either: AbortSignal) => withRetry(() => tenants.summary(tenantId, task, either), either);
      return withAbortError(filteredRead(tenantId, signal, read), signal);
    },
    sweep: (exists) => sweepSortedCopies(copyDirectory, exists),
    async close() {
      ahead.close();
      await Promise.all([shared.close(), tenants.close(), copies.close()]);
    },
  };
}

/** Waits for an answer. The engine reports an abort as an error of its own, which the reason of the abort replaces. */
async function withAbortError<T>(answer: Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    signal.throwIfAborted();
    throw error;
  }
}

/** Waits for a permit to read a page. A caller that would wait too long gets an error, after which it can try again. */
async function acquirePermit(
  permits: FairSemaphore,
  tenantId: string,
  maxWaitMs: number,
  signal: AbortSignal,
): Promise<() => void> {
  if (permits.waiting(tenantId) >= maxWaitingPages)
    throw failure("TooManyPages", `Too many pages of the tenant wait: ${maxWaitingPages}.`);
  const deadline = startDeadline(maxWaitMs);
  try {
    return await permits.acquire(tenantId, AbortSignal.any([signal, deadline.signal]));
  } catch (error) {
    if (signal.aborted) throw error;
    throw failure("TooManyPages", `The page has waited ${maxWaitMs / 1_000} seconds for other pages.`);
  } finally {
    deadline.end();
  }
}

/** Reads a page, and once more if its process ended: reading has no side effects. */
async function withRetry<T>(read: () => Promise<T>, signal: AbortSignal): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!isEngineLostError(error) || signal.aborted) throw error;
    return read();
  }
}

function isValueError(error: unknown): boolean {
  return isStatementError(error) && error.failure.name === "ValueError";
}

function failure(name: "PageTimedOut" | "TooManyPages", message: string): StatementError {
  return new StatementError({ name, message, data: { category: "RESOURCE" } });
}
