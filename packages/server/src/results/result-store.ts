import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import type { RunRecord, RunResult } from "@quern/query-run/record";
import type { WrittenResult } from "../executor/executor.ts";
import type { ResultReader } from "./reader/reader.ts";
import { sortedCopiesOf } from "./sorted-copies.ts";

/**
 * The results: one for a run and attempt, written once and never changed. Any implementation passes
 * `test/results/result-store-contract.ts`.
 */
export interface ResultStore {
  path(run: RunRecord): string;
  /**
   * Takes over a written result: checks it against its footer and moves it to its place, on disk when it returns.
   * @throws when the file does not have the rows that were written
   */
  commit(run: RunRecord, written: WrittenResult): Promise<RunResult>;
  remove(run: RunRecord): Promise<void>;
  /** Removes the files that no run owns: what a killed server left. */
  sweep(ownerOf: (runId: string) => Promise<RunRecord | undefined>): Promise<void>;
}

export async function createResultStore(directory: string, reader: ResultReader): Promise<ResultStore> {
  await mkdir(directory, { recursive: true });
  const path = ({ id, attempt }: RunRecord): string => join(directory, `${id}.${attempt}.parquet`);

  return {
    path,
    async commit(run, { path: written, columns, rowCount }) {
      const footer = await reader.inspect({ path: written });
      if (footer.rowCount !== rowCount) {
        throw new Error(`the result file has ${footer.rowCount} rows, but ${rowCount} were written`);
      }
      await flush(written);
      await rename(written, path(run));
      if (process.platform !== "win32") await flush(directory);
      const { size } = await stat(path(run));
      return { columns, rowCount, totalBytes: size };
    },
    async remove(run) {
      await rm(path(run), { force: true });
      await rm(sortedCopiesOf(path(run)), { recursive: true, force: true });
    },
    async sweep(ownerOf) {
      for (const name of await readdir(directory)) {
        const file = join(directory, name);
        const owner = await ownerOf(name.split(".")[0] ?? "");
        const isKept = owner?.state === "QUERY_STATE_SUCCESS" && owner.archivedAt === null;
        const owned = isKept && [path(owner), sortedCopiesOf(path(owner))].includes(file);
        if (!owned) await rm(file, { recursive: true, force: true });
      }
    },
  };
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
