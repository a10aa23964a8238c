import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ResultWriter } from "@quern/adapter";
import { siblingModule, startChild } from "../processes/child.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { partBytes, rowLines, writePieces } from "./rows-file.ts";
import { resultFile, rowsFile, type WriteAnswer, type WriteTask } from "./task.ts";

export interface ResultWriterOptions extends ReadingLimits {
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
}

const maxMemoryBytes = 3_000_000_000;

/** Creates a writer that stores the rows of a result in a file, which a process of its own converts to Parquet. */
export function createResultWriter(options: ResultWriterOptions): ResultWriter {
  const { spillMegabytes } = options;
  const module = siblingModule("./worker", import.meta.url);
  const workDirectory = resolve(options.workDirectory);
  const unreleased = new Set<() => Promise<void>>();
  let started = 0;

  return {
    async write(result, { maxResultBytes, maxResultRows }, signal) {
      signal.throwIfAborted();
      const directory = join(workDirectory, `writer-${process.pid}-${++started}`);
      await mkdir(directory, { recursive: true });
      const spillBytes = spillMegabytes * 1_000_000;
      // Text is larger than Parquet, so the file of rows may have the spill space in addition.
      const maxTextBytes = maxResultBytes + spillBytes;
      const child = startChild({
        module,
        directory,
        maxMemoryBytes,
        maxDirectoryBytes: maxTextBytes + maxResultBytes + spillBytes,
      });
      const release = async (): Promise<void> => {
        unreleased.delete(release);
        child.kill();
        await child.ended;
        await rm(directory, { recursive: true, force: true });
      };
      unreleased.add(release);
      const encoding = result.form === "rows" ? "lines" : result.encoding === "csv" ? "csv" : "arrays";
      const { columns } = result;
      const task: WriteTask = { encoding, columns, maxResultBytes, maxResultRows, spillMegabytes };
      try {
        const pieces = result.form === "rows" ? rowLines(result, maxResultRows) : partBytes(result);
        await writePieces(join(directory, rowsFile), pieces, maxTextBytes, signal);
        const written = (await child.call("write", task, signal)) as WriteAnswer; // returned by `worker.ts`
        return { ...written, path: join(directory, resultFile), release };
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
