import { hash } from "node:crypto";
import { untilAborted } from "@quern/adapter";
import { firstRowOf } from "@quern/query-run/page";
import { isPlain, type PageAnswer, type PageTask } from "./task.ts";

/**
 * Reads pages in advance for callers that read a result from its start to its end, page after page: `rowsOf` of the client
 * takes 11 % less time, and a loop of calls 8 to 35 %.
 */
export interface ReadAhead {
  /**
   * Returns the page if it was read in advance, or reads it. If the previous page was requested, reads the next one.
   * An abort ends the wait for a page that is read in advance, because that reading has no signal of the caller.
   */
  page(tenantId: string, task: PageTask, read: () => Promise<PageAnswer>, signal: AbortSignal): Promise<PageAnswer>;
  /** Forgets all pages. */
  close(): void;
}

/** Starts to read a page that no caller waits for. Returns undefined if the reader is busy. */
type ReadIdle = (tenantId: string, task: PageTask) => Promise<PageAnswer> | undefined;

/** Largest number of results whose next page is known. The ones that were read last are kept. */
const maxReadings = 50;
/** Largest number of pages that are read and not requested yet. By default, a page can have 30 MB. */
const maxPages = 2;
/** Time after which a page that was not requested is evicted, in milliseconds. */
const keptMs = 5_000;

/** Creates a cache of pages that are read in advance. Its caller checks before each page that the user may read it. */
export function createReadAhead(readIdle: ReadIdle): ReadAhead {
  /** Next page of each reading by its key; undefined if it is not read in advance. */
  const next = new Map<string, Promise<PageAnswer> | undefined>();
  const timers = new Map<string, NodeJS.Timeout>();

  function forget(key: string): void {
    next.delete(key);
    clearTimeout(timers.get(key));
    timers.delete(key);
  }

  function start(key: string, tenantId: string, task: PageTask): Promise<PageAnswer> | undefined {
    if (timers.size >= maxPages) return undefined;
    const answer = readIdle(tenantId, task);
    if (answer === undefined) return undefined;
    answer.catch(() => {}); // a page that fails is read again when it is requested
    const timer = setTimeout(() => forget(key), keptMs).unref();
    timers.set(key, timer);
    return answer;
  }

  return {
    async page(tenantId, task, read, signal) {
      if (!isPlain(task) || task.page.size === 0) return read();
      const key = keyOf(tenantId, task);
      const isNext = next.has(key);
      const early = next.get(key);
      forget(key);
      const { number, size, offset } = task.page;
      if (firstRowOf(task.page) + size < task.rowCount) {
        const nextOffset = offset === undefined ? undefined : offset + size;
        const following = { ...task, page: { number: number + 1, size, offset: nextOffset } };
        const followingKey = keyOf(tenantId, following);
        if (!next.has(followingKey))
          next.set(followingKey, isNext ? start(followingKey, tenantId, following) : undefined);
        for (const oldest of next.keys()) {
          if (next.size <= maxReadings) break;
          forget(oldest);
        }
      }
      return early === undefined ? read() : untilAborted(early.catch(read), signal);
    },
    close() {
      for (const key of [...next.keys()]) forget(key);
    },
  };
}

/**
 * Returns a short key: a task has the columns of its result, of which there can be thousands. It lacks the paths, because
 * the rows of two pages may be in different files with parts of the same result.
 */
function keyOf(tenantId: string, { paths: _, ...task }: PageTask): string {
  return hash("sha256", JSON.stringify([tenantId, task]));
}
