import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { EngineColumn, ResultWriter } from "@quern/adapter";
import { siblingModule, startChild } from "../processes/child.ts";
import type { MemoryBudget } from "../processes/memory-budget.ts";
import { createProcessPool } from "../processes/process-pool.ts";
import type { UserIds } from "../processes/user-ids.ts";
import { checkedCells } from "../results/checked-cells.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { resultFile } from "../results/output-file.ts";
import { partBytes } from "./part-bytes.ts";
import { createPipe, pipePieces } from "./pipe.ts";
import { itemsUntilAborted, rowLines, startOf, writePieces } from "./rows-file.ts";
import type { WriteAnswer, WriteTask } from "./task.ts";

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

/** Limits of unused processes of all tenants, of which each has about 100 MB, and the results of one process. */
const poolLimits = { maxIdleMs: 60_000, maxIdle: 2, maxIdleBytes: 300_000_000, maxUses: 200 };

/**
 * Creates a writer whose processes convert the rows of a result to Parquet: large CSV without integers of more than 64
 * bits from a pipe, on systems that have pipes, while the rows arrive, and others from a file. A process that wrote a
 * small result of a tenant writes others of this tenant.
 */
export function createResultWriter(options: ResultWriterOptions): ResultWriter {
  const { spillMegabytes, userIds, memory } = options;
  const module = siblingModule("./worker", import.meta.url);
  const limits: ReadingLimits = { spillMegabytes };
  const processes = createProcessPool({
    ...poolLimits,
    workDirectory: options.workDirectory,
    name: "writer",
    userIds,
    start({ path, userId }) {
      const child = startChild({ module, directory: path, kind: "write", userId, memory, maxMemoryBytes });
      child.call("open", limits).catch(() => {}); // the first result fails with the same error
      return child;
    },
  });
  const unreleased = new Set<() => Promise<void>>();

  return {
    async write(result, caps, signal, tenantId) {
      const { maxResultBytes, maxResultRows, maxSmallResultBytes = 0 } = caps;
      signal.throwIfAborted();
      const spillBytes = spillMegabytes * 1_000_000;
      // Text is larger than Parquet, so the file of rows may have the spill space in addition.
      const maxTextBytes = maxResultBytes + spillBytes;
      const process = await processes.acquire(tenantId ?? "");
      const { child, directory } = process;
      child.limitDirectory(maxTextBytes + maxResultBytes + spillBytes);
      /** Files to remove before the process is used again; undefined if it must end. */
      let files: readonly string[] | undefined;
      let released: Promise<void> | undefined;
      const end = async (): Promise<void> => {
        const isReusable = files !== undefined && (await removeAll(files));
        await process.release(isReusable);
        unreleased.delete(release);
      };
      const release = (): Promise<void> => {
        released ??= end();
        return released;
      };
      unreleased.add(release);
      const encoding = result.form === "rows" ? "lines" : encodings[result.encoding];
      const { columns } = result;
      const task: Omit<WriteTask, "isPipe"> = { encoding, columns, file: rowsFile, ...caps };
      const convert = async (isPipe: boolean): Promise<WriteAnswer> =>
        (await child.call("write", { ...task, isPipe }, signal)) as WriteAnswer; // returned by `worker.ts`
      const failed = new AbortController();
      const eitherSignal = AbortSignal.any([signal, failed.signal]);
      let sent: number | undefined;
      const counted = (count: number): void => {
        sent = count;
      };
      const bytes = result.form === "rows" ? rowLines(result, maxResultRows, counted) : partBytes(result);
      const source = itemsUntilAborted(bytes, eitherSignal);
      const rows = join(directory.path, rowsFile);
      try {
        const { pieces, isLarge } = await startOf(source);
        let written: WriteAnswer;
        if (isLarge && encoding === "csv" && canReadOnce(columns) && (await createPipe(rows))) {
          // The process converts rows while they arrive, and needs no further rows once it has failed.
          const converted = convert(true);
          converted.catch((error: unknown) => failed.abort(error));
          await pipePieces(rows, pieces, maxTextBytes, eitherSignal);
          written = await converted;
        } else {
          await writePieces(rows, pieces, maxTextBytes, signal);
          await directory.give(rowsFile);
          written = await convert(false);
        }
        if (result.form === "encoded") sent = result.rowCount?.();
        if (sent !== undefined && written.rowCount !== sent) throw otherCount(written.rowCount, sent);
        if (written.cells !== undefined) checkedCells(written.columns, written.cells, maxSmallResultBytes);
        const path = await directory.take(resultFile);
        if (!isLarge && tenantId !== undefined) files = [path, rows];
        return { ...written, path, release };
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
      await Promise.all([processes.close(), ...[...unreleased].map((release) => release())]);
    },
  };
}

function otherCount(stored: number, sent: number): Error {
  return new Error(`The result has ${stored} rows, but the data source has sent ${sent}.`);
}

/** Removes files. Returns false if one cannot be removed. */
function removeAll(files: readonly string[]): Promise<boolean> {
  return Promise.all(files.map((file) => rm(file, { force: true }))).then(
    () => true,
    () => false,
  );
}

/** Returns false for types whose values the process may have to read twice, because it stores wide integers in two forms. */
function canReadOnce(columns: readonly EngineColumn[]): boolean {
  return !columns.some(({ storedType }) => /hugeint|bignum/i.test(storedType));
}
