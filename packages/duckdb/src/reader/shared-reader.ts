import { rm } from "node:fs/promises";
import { join } from "node:path";
import { createChildDirectory } from "../processes/child-directory.ts";
import { type PageProcess, type PageProcessOptions, readPage, startPageProcess } from "./page-process.ts";
import type { PageAnswer, PageTask } from "./task.ts";

/**
 * Reads plain pages of all tenants in one process, since the cost of each is bounded by its size. The first page starts
 * the process, as does the next page after it has ended.
 */
export interface SharedReader {
  /** @throws {EngineLostError} if the process ends before it answers */
  page(task: PageTask, signal: AbortSignal): Promise<PageAnswer>;
  close(): Promise<void>;
}

/** Longer than the default, because killing the process would also end the page of another caller. */
const interruptGraceMs = 10_000;

/** Starts the process with the first page, because a server that reads no page needs none, and reads in it until `close`. */
export function createSharedReader(options: PageProcessOptions): SharedReader {
  const path = join(options.workDirectory, `reader-${process.pid}`);
  let running: Promise<PageProcess> | undefined;
  /** Resolves when the directory of the last process is removed, so that the next one can have its name. */
  let removed: Promise<void> = rm(path, { recursive: true, force: true }); // files of an earlier process
  let closed = false;

  async function start(): Promise<PageProcess> {
    await removed;
    const directory = await createChildDirectory(path, options.userIds);
    const child = startPageProcess(directory, options, interruptGraceMs);
    removed = child.ended.then(() => {
      running = undefined;
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

  return {
    async page(task, signal) {
      if (closed) throw new Error("The result reader is closed.");
      return readPage(await current(), task, signal);
    },
    async close() {
      closed = true;
      const last = await running?.catch(() => undefined);
      last?.child.kill();
      await last?.child.ended;
      await removed;
    },
  };
}
