import { closeSync, fstatSync, fsync, openSync, renameSync, statSync } from "node:fs";
import { access, chmod, constants, mkdir, readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { promisify } from "node:util";
import { type ResultStore, UnavailableError } from "@quern/adapter";
import { parquetRowCount } from "@quern/duckdb";
import type { RunRecord } from "@quern/query-run/record";
import { createHeldFiles } from "./held-files.ts";

type Flush = (descriptor: number) => Promise<void>;

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
 * @param flush makes an open file or folder durable @default `fsync`
 */
export async function createResultStore(
  directory: string,
  forOtherUsers = false,
  flush: Flush = promisify(fsync),
): Promise<ResultStore> {
  await mkdir(directory, { recursive: true });
  const held = createHeldFiles();
  const pathOf = (run: RunRecord): string => join(directory, `${resultName(run)}.parquet`);

  return {
    async open(run) {
      const path = pathOf(run);
      const release = held.hold(path);
      if (release === undefined) return undefined;
      try {
        // Synchronous, because each switch to another thread would take longer.
        const mode = statSync(path, { throwIfNoEntry: false })?.mode;
        // A service that had the same user as its processes, and a umask of 077, wrote results that only it can read.
        if (mode !== undefined && forOtherUsers && (mode & readableForAll) !== readableForAll)
          await chmod(path, readableForAll);
        if (mode !== undefined) return { paths: [path], release };
        // A missing directory is an unmounted disk, not a removed result. With the slash, a file is no directory.
        await stat(`${directory}/`);
      } catch (error) {
        await release();
        throw error;
      }
      await release();
      return undefined;
    },
    async commit(run, { path: written, columns, rowCount }) {
      const file = openSync(written, "r");
      try {
        const rows = parquetRowCount(file);
        if (rows !== rowCount) throw new Error(`the result file has ${rows} rows, but ${rowCount} were written`);
        const { size: totalBytes } = fstatSync(file);
        renameSync(written, pathOf(run));
        // The file and its name are flushed at the same time: until both are, no record of a run names the result.
        const flushed = await Promise.allSettled([flush(file), flushFolder(directory, flush)]);
        const failed = flushed.find((each) => each.status === "rejected");
        if (failed !== undefined) {
          await held.remove(pathOf(run));
          throw failed.reason;
        }
        return { columns, rowCount, totalBytes };
      } finally {
        closeSync(file);
      }
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

/** Makes the names in a folder durable. Windows does so by itself. */
async function flushFolder(path: string, flush: Flush): Promise<void> {
  if (process.platform === "win32") return;
  const folder = openSync(path, "r");
  try {
    await flush(folder);
  } finally {
    closeSync(folder);
  }
}
