import { join, resolve } from "node:path";
import type { ResultWriter } from "@quern/adapter";
import { siblingModule, startChild } from "../processes/child.ts";
import { createChildDirectory } from "../processes/child-directory.ts";
import type { MemoryBudget } from "../processes/memory-budget.ts";
import type { UserIds } from "../processes/user-ids.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { partBytes, rowLines, writePieces } from "./rows-file.ts";
import { resultFile, rowsFile, type WriteAnswer, type WriteTask } from "./task.ts";

/** Limits and directory of the writer processes. */
export interface ResultWriterOptions extends ReadingLimits {
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
  /** User ids of the processes. @default the user of the service for all */
  readonly userIds?: UserIds | undefined;
  /** Budget for the memory of these and other processes together. @default no limit in addition to that of each process */
  readonly memory?: MemoryBudget | undefined;
}

const maxMemoryBytes = 3_000_000_000;

/** Creates a writer that stores the rows of a result in a file, which a process of its own converts to Parquet. */
export function createResultWriter(options: ResultWriterOptions): ResultWriter {
  const { spillMegabytes, userIds, memory } = options;
  const module = siblingModule("./worker", import.meta.url);
  const workDirectory = resolve(options.workDirectory);
  const unreleased = new Set<() => Promise<void>>();
  let started = 0;

  return {
    async write(result, { maxResultBytes, maxResultRows }, signal) {
      signal.throwIfAborted();
      const path = join(workDirectory, `writer-${process.pid}-${++started}`);
      const directory = await createChildDirectory(path, userIds);
      const spillBytes = spillMegabytes * 1_000_000;
      // Text is larger than Parquet, so the file of rows may have the spill space in addition.
      const maxTextBytes = maxResultBytes + spillBytes;
      const child = startChild({
        module,
        directory: path,
        kind: "write",
        userId: directory.userId,
        memory,
        maxMemoryBytes,
        maxDirectoryBytes: maxTextBytes + maxResultBytes + spillBytes,
      });
      const release = async (): Promise<void> => {
        unreleased.delete(release);
        child.kill();
        await child.ended;
        await directory.remove();
      };
      unreleased.add(release);
      const encoding = result.form === "rows" ? "lines" : result.encoding === "csv" ? "csv" : "arrays";
      const { columns } = result;
      const task: WriteTask = { encoding, columns, maxResultBytes, maxResultRows, spillMegabytes };
      try {
        const pieces = result.form === "rows" ? rowLines(result, maxResultRows) : partBytes(result);
        await writePieces(join(path, rowsFile), pieces, maxTextBytes, signal);
        await directory.give(rowsFile);
        const written = (await child.call("write", task, signal)) as WriteAnswer; // returned by `worker.ts`
        return { ...written, path: await directory.take(resultFile), release };
      } catch (error) {
        await release();
        signal.throwIfAborted();
        throw error;
      }
    },
    async close() {
      await Promise.all([...unreleased].map((release) => release()));
    },
  };
}
