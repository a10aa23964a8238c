import { mkdir, open, readdir, rename, rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ResultStore } from "@quern/adapter";
import { sortedCopiesOf, storedRows } from "@quern/duckdb";
import type { RunRecord } from "@quern/query-run/record";

const sweptAtOnce = 100;

export async function createResultStore(directory: string): Promise<ResultStore> {
  await mkdir(directory, { recursive: true });
  const filesOf = (run: RunRecord): string[] => [path(run), sortedCopiesOf(path(run))];
  const path = ({ id, attempt }: RunRecord): string => join(directory, `${id}.${attempt}.parquet`);

  return {
    path,
    async commit(run, { path: written, columns, rowCount }) {
      const rows = await storedRows(written);
      if (rows !== rowCount) throw new Error(`the result file has ${rows} rows, but ${rowCount} were written`);
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
    async has(run) {
      if (await isThere(path(run))) return true;
      await stat(directory); // it was made at the start: without it nothing is known of what was in it
      return false;
    },
    async sweep(ownerOf) {
      for (const [index, name] of (await readdir(directory)).entries()) {
        // A store may answer at once, and there may be very many results: calls come in between.
        if (index % sweptAtOnce === 0) await setImmediate();
        const file = join(directory, name);
        const owner = await ownerOf(name.split(".")[0] ?? "");
        const owned = owner !== undefined && mayHaveResult(owner) && filesOf(owner).includes(file);
        if (!owned) await rm(file, { recursive: true, force: true });
      }
    },
  };
}

/** A result is at its place a moment before the record of its run says so. */
function mayHaveResult({ state, archivedAt }: RunRecord): boolean {
  return (
    archivedAt === null &&
    ["QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS", "QUERY_STATE_SUCCESS"].includes(state)
  );
}

async function isThere(path: string): Promise<boolean> {
  try {
    await stat(path);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return false;
    throw error;
  }
}

async function flush(path: string): Promise<void> {
  const file = await open(path, "r");
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
