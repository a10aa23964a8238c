import { join, resolve } from "node:path";
import type { EngineColumn, ResultWriter } from "@quern/adapter";
import { siblingModule, startChild } from "../processes/child.ts";
import { createChildDirectory } from "../processes/child-directory.ts";
import type { MemoryBudget } from "../processes/memory-budget.ts";
import type { UserIds } from "../processes/user-ids.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { partBytes } from "./part-bytes.ts";
import { rowLines, startOf, untilAborted, writePieces } from "./rows-file.ts";
import { createPipes, pipeCount, pipePieces } from "./rows-pipe.ts";
import { resultFile, type WriteAnswer, type WriteTask } from "./task.ts";

/** Limits and directory of the writer processes. */
export interface ResultWriterOptions extends ReadingLimits {
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
  /** User ids of the processes. @default the user of the service for all */
  readonly userIds?: UserIds | undefined;
  /** Budget for the memory of these and other processes together. @default no limit in addition to that of each process */
  readonly memory?: MemoryBudget | undefined;
}

const encodings = { json: "arrays", "positional-json": "positional-arrays", csv: "csv" } as const;

const maxMemoryBytes = 3_000_000_000;

const rowsFile = "rows";

/**
 * Creates a writer whose processes convert the rows of a result to Parquet: small results from a file, and large ones
 * from pipes, on systems that have them, while the rows arrive.
 */
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
      const encoding = result.form === "rows" ? "lines" : encodings[result.encoding];
      const { columns } = result;
      const task: Omit<WriteTask, "files" | "isPipe"> = {
        encoding,
        columns,
        maxResultBytes,
        maxResultRows,
        spillMegabytes,
      };
      const convert = async (rows: Pick<WriteTask, "files" | "isPipe">): Promise<WriteAnswer> =>
        (await child.call("write", { ...task, ...rows }, signal)) as WriteAnswer; // returned by `worker.ts`
      const failed = new AbortController();
      const eitherSignal = AbortSignal.any([signal, failed.signal]);
      const bytes = result.form === "rows" ? rowLines(result, maxResultRows) : partBytes(result);
      const source = untilAborted(bytes, eitherSignal);
      const pipes = Array.from({ length: pipeCount(encoding) }, (_, index) => `${rowsFile}-${index}`);
      const paths = pipes.map((pipe) => join(path, pipe));
      try {
        const { pieces, isLarge } = await startOf(source);
        let written: WriteAnswer;
        if (isLarge && canReadOnce(columns) && (await createPipes(paths))) {
          // The process converts rows while they arrive, and needs no further rows once it has failed.
          const converted = convert({ files: pipes, isPipe: true });
          converted.catch((error: unknown) => failed.abort(error));
          await pipePieces({ encoding, paths, maxBytes: maxTextBytes }, pieces, eitherSignal);
          written = await converted;
        } else {
          await writePieces(join(path, rowsFile), pieces, maxTextBytes, signal);
          await directory.give(rowsFile);
          written = await convert({ files: [rowsFile], isPipe: false });
        }
        return { ...written, path: await directory.take(resultFile), release };
      } catch (error) {
        failed.abort(error); // ends the source if it is not read to its end
        await release();
        signal.throwIfAborted();
        throw error;
      } finally {
        await source.return();
      }
    },
    async close() {
      await Promise.all([...unreleased].map((release) => release()));
    },
  };
}

/** Returns false for types whose values the process may have to read twice, because it stores wide integers in two forms. */
function canReadOnce(columns: readonly EngineColumn[]): boolean {
  return !columns.some(({ storedType }) => /hugeint|bignum/i.test(storedType));
}
