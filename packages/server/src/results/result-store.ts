import { mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ResultStore } from "@quern/adapter";
import { parquetRowCount } from "@quern/duckdb";
import type { RunRecord } from "@quern/query-run/record";
import { createHeldFiles } from "./held-files.ts";

const sweepBatchSize = 100;

/** Returns the name of a result, which is unique for each run and attempt. */
export function resultName({ id, attempt }: RunRecord): string {
  return `${id}.${attempt}`;
}

/** Creates a result store with one Parquet file for each result. */
export async function createResultStore(directory: string): Promise<ResultStore> {
  await mkdir(directory, { recursive: true });
  const held = createHeldFiles();
  const pathOf = (run: RunRecord): string => join(directory, `${resultName(run)}.parquet`);

  return {
    async open(run) {
      const path = pathOf(run);
      const release = held.hold(path);
      if (release === undefined) return undefined;
      try {
        if (await exists(path)) return { paths: [path], release };
        await stat(directory); // a missing directory is an unmounted disk, not a removed result
      } catch (error) {
        await release();
        throw error;
      }
      await release();
      return undefined;
    },
    async commit(run, { path: written, columns, rowCount }) {
      const rows = await parquetRowCount(written);
      if (rows !== rowCount) throw new Error(`the result file has ${rows} rows, but ${rowCount} were written`);
      await flush(written);
      const path = pathOf(run);
      await rename(written, path);
      if (process.platform !== "win32") await flush(directory);
      const { size } = await stat(path);
      return { columns, rowCount, totalBytes: size };
    },
    remove: (run) => held.remove(pathOf(run)),
    async sweep(ownerOf) {
      for (const [index, name] of (await readdir(directory)).entries()) {
        // The store may answer synchronously. Let the event loop serve other calls between batches.
        if (index % sweepBatchSize === 0) await setImmediate();
        const file = join(directory, name);
        const owner = await ownerOf(name.split(".")[0] ?? "");
        const owned = owner !== undefined && mayHaveResult(owner) && pathOf(owner) === file;
        if (!owned) await held.remove(file);
      }
    },
  };
}

/**
 * Returns whether a run may own a result. A file is committed shortly before the record of its run, so an executing run
 * may own one too.
 */
function mayHaveResult({ state, archivedAt }: RunRecord): boolean {
  return (
    archivedAt === null &&
    ["QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS", "QUERY_STATE_SUCCESS"].includes(state)
  );
}

async function exists(path: string): Promise<boolean> {
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
