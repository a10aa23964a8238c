import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { siblingModule, startChild } from "../processes/child.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { openPipe } from "./pipe.ts";
import type { DownloadTask } from "./task.ts";

/** The bytes of a whole result while they are written. */
export interface Download {
  readonly readable: Readable;
  /** Rejects when the result could not be written to its end; what was read is then not the whole. */
  readonly written: Promise<void>;
  /** Ends it wherever it is. */
  end(): Promise<void>;
}

export interface Downloads {
  /** Undefined when so many are under way that the tenant has to wait: it may have half of the places that others leave. */
  open(tenantId: string, task: Wanted): Promise<Download | undefined>;
  close(): Promise<void>;
}

const maxMemoryBytes = 3_000_000_000;

export interface DownloadsOptions extends ReadingLimits {
  /** Where each process gets a directory of its own. */
  readonly workDirectory: string;
  readonly maxDownloads: number;
}

/** What is to be downloaded. */
type Wanted = Omit<DownloadTask, "target" | keyof ReadingLimits>;

/** Writes each download in a process of its own, which a slow reader holds back, and nobody else. */
export function createDownloads({ workDirectory, maxDownloads, ...limits }: DownloadsOptions): Downloads {
  const module = siblingModule("./worker", import.meta.url);
  /** What ends each, with its tenant. */
  const underWay = new Map<() => Promise<void>, string>();
  let started = 0;

  async function start(task: Wanted): Promise<Download> {
    const directory = join(workDirectory, `download-${process.pid}-${++started}`);
    await mkdir(directory, { recursive: true });
    const pipe = await openPipe(directory);
    const child = startChild({ module, directory, maxMemoryBytes });
    const written = child.call("download", { ...task, ...limits, target: pipe.path }).then(() => pipe.finish());
    const end = async (): Promise<void> => {
      child.kill();
      pipe.close();
      await child.ended;
      await rm(directory, { recursive: true, force: true });
    };
    return { readable: pipe.readable, written, end };
  }

  return {
    async open(tenantId, task) {
      const own = [...underWay.values()].filter((each) => each === tenantId).length;
      const left = maxDownloads - (underWay.size - own);
      if (own >= left / 2) return undefined;
      let ending: Promise<void> | undefined;
      const end = (): Promise<void> => {
        ending ??= starting.then((download) => download.end()).finally(() => underWay.delete(end));
        return ending;
      };
      underWay.set(end, tenantId);
      const starting = start(task);
      try {
        const { readable, written } = await starting;
        return { readable, written, end };
      } catch (error) {
        underWay.delete(end);
        throw error;
      }
    },
    async close() {
      await Promise.allSettled([...underWay.keys()].map((end) => end()));
    },
  };
}
