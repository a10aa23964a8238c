import { siblingModule, startChild } from "../processes/child.ts";
import type { MemoryBudget } from "../processes/memory-budget.ts";
import { createProcessPool, type ProcessPoolLimits } from "../processes/process-pool.ts";
import type { UserIds } from "../processes/user-ids.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { type OnChunk, openPipe } from "./pipe.ts";
import type { DownloadTask } from "./task.ts";

/** Bytes of a whole result, which a process writes while they are read. */
export interface Download {
  /** Id of the process that writes the bytes. */
  readonly pid: number;
  /** Reads the bytes to their end. Rejects if the download is ended before. Call it once. */
  read(onChunk: OnChunk): Promise<void>;
  /**
   * Resolves when all bytes are written. Rejects when the result could not be written; the bytes read are then
   * incomplete.
   */
  readonly written: Promise<void>;
  /** Ends the download. A process that has not written all bytes is killed. */
  end(): Promise<void>;
}

/** Downloads of all tenants. */
export interface Downloads {
  /**
   * Starts a download. Returns undefined, and starts none, if the tenant already uses at least half of the downloads
   * that other tenants leave free.
   */
  open(tenantId: string, task: DownloadRequest): Promise<Download | undefined>;
  /** Ends all downloads and processes. */
  close(): Promise<void>;
}

const maxMemoryBytes = 3_000_000_000;

/**
 * Idle processes are kept, because starting one takes longer than a small download. An idle one uses about 100 MB of
 * memory.
 */
const defaultPool = { maxIdleMs: 60_000, maxIdle: 4, maxIdleBytes: 400_000_000, maxUses: 100 };

/** Limits and directory of the download processes. */
export interface DownloadsOptions extends ReadingLimits {
  /** Parent directory of the directories of the processes. */
  readonly workDirectory: string;
  /** User ids of the processes. @default the user of the service for all */
  readonly userIds?: UserIds | undefined;
  /** Budget for the memory of these and other processes together. @default no limit in addition to that of each process */
  readonly memory?: MemoryBudget | undefined;
  /** Largest number of downloads of all tenants that run at the same time. */
  readonly maxDownloads: number;
  /** @default one minute idle, 4 idle processes of all tenants, 400 MB for each, 100 downloads for each */
  readonly pool?: ProcessPoolLimits;
}

/** Download as its caller describes it. */
type DownloadRequest = Omit<DownloadTask, "target" | keyof ReadingLimits>;

/**
 * Writes each download in a process of its own, so that a slow reader delays no other download. After a complete
 * download the process stays in a pool for the next download of the same tenant.
 */
export function createDownloads({
  workDirectory,
  maxDownloads,
  userIds,
  memory,
  pool = defaultPool,
  ...limits
}: DownloadsOptions): Downloads {
  const module = siblingModule("./worker", import.meta.url);
  const processes = createProcessPool({
    ...pool,
    workDirectory,
    name: "download",
    userIds,
    start: ({ path, userId }) =>
      startChild({ module, directory: path, kind: "download", userId, memory, maxMemoryBytes }),
  });
  /** Tenant of each download in progress, by the function that ends the download. */
  const inProgress = new Map<() => Promise<void>, string>();

  async function start(tenantId: string, task: DownloadRequest): Promise<Download> {
    const { child, directory, release } = await processes.acquire(tenantId);
    const pipe = await openPipe(directory).catch(async (error: unknown) => {
      await release(false);
      throw error;
    });
    let isWritten = false;
    const files = task.paths.map((path) => directory.share(path));
    const paths = files.map(({ path }) => path);
    const written = child.call("download", { ...task, ...limits, paths, target: pipe.path }).then(() => {
      isWritten = true;
      pipe.finish();
    });
    const end = async (): Promise<void> => {
      pipe.close();
      for (const file of files) file.release();
      await release(isWritten);
    };
    return { pid: child.pid, read: pipe.read, written, end };
  }

  return {
    async open(tenantId, task) {
      const own = [...inProgress.values()].filter((each) => each === tenantId).length;
      const available = maxDownloads - (inProgress.size - own);
      if (own >= available / 2) return undefined;
      let ending: Promise<void> | undefined;
      const end = (): Promise<void> => {
        ending ??= starting.then((download) => download.end()).finally(() => inProgress.delete(end));
        return ending;
      };
      inProgress.set(end, tenantId);
      const starting = start(tenantId, task);
      try {
        return { ...(await starting), end };
      } catch (error) {
        inProgress.delete(end);
        throw error;
      }
    },
    async close() {
      await Promise.allSettled([...inProgress.keys()].map((end) => end()));
      await processes.close();
    },
  };
}
