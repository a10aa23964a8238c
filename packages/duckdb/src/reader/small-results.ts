import { untilAborted } from "@quern/adapter";
import { pageRange } from "@quern/query-run/page";
import { isPlain, type Page, type PageAnswer, type PageTask } from "./task.ts";

/** Keeps the rows of small results in memory, so that a page with all of them needs no process. */
export interface SmallResults {
  /** Returns the page if its rows are kept or being read, or reads it and keeps its rows. */
  page(task: PageTask, read: () => Promise<PageAnswer>, signal: AbortSignal): Promise<PageAnswer>;
  /**
   * Reads a page with all rows of a result, and keeps them. Does not reject if the page cannot be read.
   * @param read returns undefined if the reader is busy
   */
  keep(task: PageTask, read: () => Promise<PageAnswer> | undefined): Promise<void>;
}

/** Largest size of the rows of a result as JSON, in bytes. */
const maxResultBytes = 250_000;
/** Largest size of all rows together, in bytes. The ones that were used last are kept. */
const maxBytes = 8_000_000;
/** Time after which unused rows are evicted, with the next ones that are kept, in milliseconds. */
const keptMs = 10_000;
/** Estimate for the name of a result and its entry, in bytes. */
const entryBytes = 500;

/** Creates an empty cache. Its caller checks before each page that the user may read it and that the result exists. */
export function createSmallResults(): SmallResults {
  // As strings: many small byte arrays among large pages would fragment the memory outside of the heap.
  const kept = new Map<string, { readonly rows: string; readonly usedAt: number }>();
  const reading = new Map<string, Promise<void>>();
  let bytes = 0;

  function store(key: string, answer: PageAnswer): void {
    if (!isPage(answer) || answer.rows.length > maxResultBytes || kept.has(key)) return;
    const rows = Buffer.from(answer.rows).toString();
    const now = performance.now();
    kept.set(key, { rows, usedAt: now });
    bytes += rows.length + entryBytes;
    for (const [oldest, { rows, usedAt }] of kept) {
      if (bytes <= maxBytes && now - usedAt < keptMs) break;
      kept.delete(oldest);
      bytes -= rows.length + entryBytes;
    }
  }

  function use(key: string): Buffer | undefined {
    const found = kept.get(key);
    if (found === undefined) return undefined;
    kept.delete(key);
    kept.set(key, { ...found, usedAt: performance.now() }); // the last one used is the last in the map
    return Buffer.from(found.rows);
  }

  return {
    async page(task, read, signal) {
      if (!hasAllRows(task)) return read();
      const key = keyOf(task);
      const arriving = reading.get(key);
      if (arriving !== undefined) await untilAborted(arriving, signal);
      const rows = use(key);
      if (rows !== undefined && rows.length <= task.maxBytes)
        return { position: pageRange(task.page, task.rowCount).page, rows };
      const answer = await read();
      store(key, answer);
      return answer;
    },
    async keep(task, read) {
      const key = keyOf(task);
      const answer = reading.has(key) ? undefined : read();
      if (answer === undefined) return;
      // A page that fails is read again when it is requested.
      const kept = answer.then((page) => store(key, page)).catch(() => {});
      reading.set(key, kept);
      await kept;
      reading.delete(key);
    },
  };
}

function hasAllRows(task: PageTask): boolean {
  return isPlain(task) && task.page.number === 1 && task.page.size >= task.rowCount && task.page.size > 0;
}

function isPage(answer: PageAnswer): answer is Page {
  return "rows" in answer;
}

/** A result is never written again under its name. */
function keyOf({ result, format, rowIndex }: PageTask): string {
  return JSON.stringify([result, format, rowIndex]);
}
