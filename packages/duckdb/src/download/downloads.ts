import type { Readable } from "node:stream";
import { siblingModule, startChild } from "../processes/child.ts";
import { createProcessPool, type ProcessPoolLimits } from "../processes/process-pool.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { openPipe } from "./pipe.ts";
import type { DownloadTask } from "./task.ts";

/** Bytes of a whole result, which a process writes while they are read. */
export interface Download {
  /** Id of the process that writes the bytes. */
  readonly pid: number;
  readonly readable: Readable;
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
  pool = defaultPool,
  ...limits
}: DownloadsOptions): Downloads {
  const module = siblingModule("./worker", import.meta.url);
  const processes = createProcessPool({
    ...pool,
    workDirectory,
    name: "download",
    start: (directory) => startChild({ module, directory, maxMemoryBytes }),
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
    const written = child.call("download", { ...task, ...limits, target: pipe.path }).then(() => {
      isWritten = true;
      pipe.finish();
    });
    const end = async (): Promise<void> => {
      pipe.close();
      await release(isWritten);
    };
    return { pid: child.pid, readable: pipe.readable, written, end };
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
