import { mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { ResultStore } from "@quern/adapter";
import { parquetRowCount } from "@quern/duckdb";
import type { RunRecord } from "@quern/query-run/record";
import { createHeldFiles } from "./held-files.ts";

const sweptAtOnce = 100;

/** Name of the result of a run and attempt, unlike that of any other. */
export function resultName({ id, attempt }: RunRecord): string {
  return `${id}.${attempt}`;
}

/** Keeps each result as a file in a folder. */
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
        if (await isThere(path)) return { paths: [path], release };
        await stat(directory); // it was made at the start: without it nothing is known of what was in it
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
        // A store may answer at once, and there may be very many results: calls come in between.
        if (index % sweptAtOnce === 0) await setImmediate();
        const file = join(directory, name);
        const owner = await ownerOf(name.split(".")[0] ?? "");
        const owned = owner !== undefined && mayHaveResult(owner) && pathOf(owner) === file;
        if (!owned) await held.remove(file);
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
