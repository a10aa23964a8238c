import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createChildDirectory } from "../processes/child-directory.ts";
import { residentBytes } from "../processes/watchdogs.ts";
import { type PageProcess, type PageProcessOptions, readPage, startPageProcess } from "./page-process.ts";
import type { PageAnswer, PageTask } from "./task.ts";

/**
 * Reads plain pages of all tenants in one process, since the cost of each is bounded by its size. The first page starts
 * the process, as does the next page after it has ended. A process that has grown ends when no page has come for a while.
 */
export interface SharedReader {
  /** @throws {EngineLostError} if the process ends before it answers */
  page(task: PageTask, signal: AbortSignal): Promise<PageAnswer>;
  close(): Promise<void>;
}

/** Longer than the default, because killing the process would also end the page of another caller. */
const interruptGraceMs = 10_000;

/** Limits at which a process without pages ends: both must be exceeded. */
interface IdleLimits {
  /** Time without a page, in milliseconds. */
  readonly idleMs: number;
  /** Resident memory that the process may keep, in bytes. A new one has about 75 MB. */
  readonly idleBytes: number;
}

const defaultIdleLimits: IdleLimits = { idleMs: 30_000, idleBytes: 120_000_000 };

/** Starts the process with the first page, because a server that reads no page needs none, and reads in it until `close`. */
export function createSharedReader(
  options: PageProcessOptions,
  { idleMs, idleBytes } = defaultIdleLimits,
): SharedReader {
  const path = join(options.workDirectory, `reader-${process.pid}`);
  let running: Promise<PageProcess> | undefined;
  /** Resolves when the directory of the last process is removed, so that the next one can have its name. */
  let removed: Promise<void> = rm(path, { recursive: true, force: true }); // files of an earlier process
  let closed = false;
  let pages = 0;
  let idle: NodeJS.Timeout | undefined;

  async function start(): Promise<PageProcess> {
    await removed;
    const directory = await createChildDirectory(path, options.userIds);
    const child = startPageProcess(directory, options, interruptGraceMs);
    const started = running;
    removed = child.ended.then(() => {
      if (running === started) running = undefined;
      return directory.remove().catch(() => {}); // the next process uses the directory if it is still there
    });
    return { child, directory };
  }

  /** Returns the process, and starts one if none runs. After a failed start the next page starts another one. */
  function current(): Promise<PageProcess> {
    running ??= start().catch((error: unknown) => {
      running = undefined;
      throw error;
    });
    return running;
  }

  function endIfGrown({ child }: PageProcess): void {
    if ((residentBytes(child.pid) ?? 0) <= idleBytes) return;
    running = undefined; // the next page starts another one, once the directory of this one is removed
    child.kill();
  }

  return {
    async page(task, signal) {
      if (closed) throw new Error("The result reader is closed.");
      clearTimeout(idle);
      pages += 1;
      const used = current();
      try {
        return await readPage(await used, task, signal);
      } finally {
        pages -= 1;
        if (pages === 0 && running === used && !closed)
          idle = setTimeout(() => void used.then(endIfGrown, () => {}), idleMs).unref();
      }
    },
    async close() {
      closed = true;
      clearTimeout(idle);
      const last = await running?.catch(() => undefined);
      last?.child.kill();
      await last?.child.ended;
      await removed;
    },
  };
}
