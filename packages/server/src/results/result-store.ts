import { access, chmod, constants, mkdir, open, readdir, rename, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { type ResultStore, UnavailableError } from "@quern/adapter";
import { parquetRowCount } from "@quern/duckdb";
import type { RunRecord } from "@quern/query-run/record";
import { createHeldFiles } from "./held-files.ts";

const sweepBatchSize = 100;
const readableForAll = 0o644;

/** Returns the name of a result, which is unique for each run and attempt. */
export function resultName({ id, attempt }: Pick<RunRecord, "id" | "attempt">): string {
  return `${id}.${attempt}`;
}

/**
 * Creates a result store with one Parquet file for each result.
 * @param forOtherUsers Makes results readable for other users, such as those of the processes that read pages. The
 *   directories above the results keep everyone else from them. @default false
 */
export async function createResultStore(directory: string, forOtherUsers = false): Promise<ResultStore> {
  await mkdir(directory, { recursive: true });
  const held = createHeldFiles();
  const pathOf = (run: RunRecord): string => join(directory, `${resultName(run)}.parquet`);

  return {
    async open(run) {
      const path = pathOf(run);
      const release = held.hold(path);
      if (release === undefined) return undefined;
      try {
        const mode = await modeOf(path);
        // A service that had the same user as its processes, and a umask of 077, wrote results that only it can read.
        if (mode !== undefined && forOtherUsers && (mode & readableForAll) !== readableForAll)
          await chmod(path, readableForAll);
        if (mode !== undefined) return { paths: [path], release };
        await stat(directory); // a missing directory is an unmounted disk, not a removed result
      } catch (error) {
        await release();
        throw error;
      }
      await release();
      return undefined;
    },
    async commit(run, { path: written, columns, rowCount }) {
      const file = await open(written, "r");
      let totalBytes: number;
      try {
        const rows = await parquetRowCount(file);
        if (rows !== rowCount) throw new Error(`the result file has ${rows} rows, but ${rowCount} were written`);
        totalBytes = (await file.stat()).size;
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(written, pathOf(run));
      if (process.platform !== "win32") await flush(directory);
      return { columns, rowCount, totalBytes };
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
    async check() {
      await access(directory, constants.R_OK | constants.W_OK).catch((cause: unknown) => {
        throw new UnavailableError(`The directory of results cannot be read and written: ${directory}`, { cause });
      });
    },
    close: async () => {},
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

/** Returns the mode of a file; undefined if there is no such file. */
async function modeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mode;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
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
