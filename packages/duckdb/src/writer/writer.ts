import { mkdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { ResultWriter } from "@quern/adapter";
import { siblingModule, startChild } from "../processes/child.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { partBytes, rowLines, writePieces } from "./rows-file.ts";
import { resultFile, rowsFile, type WriteAnswer, type WriteTask } from "./task.ts";

export interface ResultWriterOptions extends ReadingLimits {
  /** Where each process gets a directory of its own. */
  readonly workDirectory: string;
}

const maxMemoryBytes = 3_000_000_000;

/** Writes each result as Parquet in a process of its own, from a file into which its rows are put first. */
export function createResultWriter(options: ResultWriterOptions): ResultWriter {
  const { spillMegabytes } = options;
  const module = siblingModule("./worker", import.meta.url);
  const workDirectory = resolve(options.workDirectory);
  const underWay = new Set<() => Promise<void>>();
  let started = 0;

  return {
    async write(result, { maxResultBytes, maxResultRows }, signal) {
      signal.throwIfAborted();
      const directory = join(workDirectory, `writer-${process.pid}-${++started}`);
      await mkdir(directory, { recursive: true });
      const spillBytes = spillMegabytes * 1_000_000;
      // Text is larger than Parquet: it may also take what a statement may spill.
      const maxTextBytes = maxResultBytes + spillBytes;
      const child = startChild({
        module,
        directory,
        maxMemoryBytes,
        maxDirectoryBytes: maxTextBytes + maxResultBytes + spillBytes,
      });
      const release = async (): Promise<void> => {
        underWay.delete(release);
        child.kill();
        await child.ended;
        await rm(directory, { recursive: true, force: true });
      };
      underWay.add(release);
      const encoding = result.form === "rows" ? "lines" : result.encoding === "csv" ? "csv" : "arrays";
      const { columns } = result;
      const task: WriteTask = { encoding, columns, maxResultBytes, maxResultRows, spillMegabytes };
      try {
        const pieces = result.form === "rows" ? rowLines(result, maxResultRows) : partBytes(result);
        await writePieces(join(directory, rowsFile), pieces, maxTextBytes, signal);
        const written = (await child.call("write", task, signal)) as WriteAnswer; // written by the worker beside this file
        return { ...written, path: join(directory, resultFile), release };
      } catch (error) {
        await release();
        signal.throwIfAborted();
        throw error;
      }
    },
    async close() {
      await Promise.all([...underWay].map((release) => release()));
    },
  };
}
