import { join } from "node:path";
import type { Readable } from "node:stream";
import { siblingModule, startChild } from "../processes/child.ts";
import { createKeptChildren, type KeepingLimits } from "../processes/kept-children.ts";
import type { ReadingLimits } from "../results/engine.ts";
import { openPipe } from "./pipe.ts";
import type { DownloadTask } from "./task.ts";

/** The bytes of a whole result while they are written. */
export interface Download {
  /** The process that writes it. */
  readonly pid: number;
  readonly readable: Readable;
  /** Rejects when the result could not be written to its end; what was read is then not the whole. */
  readonly written: Promise<void>;
  /** Ends it wherever it is. A process that has not written it to its end is killed. */
  end(): Promise<void>;
}

export interface Downloads {
  /** Undefined when so many are under way that the tenant has to wait: it may have half of the places that others leave. */
  open(tenantId: string, task: Wanted): Promise<Download | undefined>;
  close(): Promise<void>;
}

const maxMemoryBytes = 3_000_000_000;

/** A process costs more than a small download; an idle one has about 100 MB. */
const defaultKeeping = { maxIdleMs: 60_000, maxIdle: 4, maxIdleBytes: 400_000_000, maxLoans: 100 };

export interface DownloadsOptions extends ReadingLimits {
  /** Where each process gets a directory of its own. */
  readonly workDirectory: string;
  readonly maxDownloads: number;
  /** @default one minute, four processes of all tenants together, 400 MB and 100 downloads each */
  readonly keeping?: KeepingLimits;
}

/** What is to be downloaded. */
type Wanted = Omit<DownloadTask, "target" | keyof ReadingLimits>;

/**
 * Writes each download in a process of its own, which a slow reader holds back, and nobody else. After a whole download
 * the process waits a while for the next one of the same tenant.
 */
export function createDownloads({
  workDirectory,
  maxDownloads,
  keeping = defaultKeeping,
  ...limits
}: DownloadsOptions): Downloads {
  const module = siblingModule("./worker", import.meta.url);
  const children = createKeptChildren({
    ...keeping,
    directoryOf: (serial) => join(workDirectory, `download-${process.pid}-${serial}`),
    start: (directory) => startChild({ module, directory, maxMemoryBytes }),
  });
  /** What ends each, with its tenant. */
  const underWay = new Map<() => Promise<void>, string>();

  async function start(tenantId: string, task: Wanted): Promise<Download> {
    const { child, directory, end: endLoan } = await children.lend(tenantId);
    const pipe = await openPipe(directory).catch(async (error: unknown) => {
      await endLoan(false);
      throw error;
    });
    let isWritten = false;
    const written = child.call("download", { ...task, ...limits, target: pipe.path }).then(() => {
      isWritten = true;
      pipe.finish();
    });
    const end = async (): Promise<void> => {
      pipe.close();
      await endLoan(isWritten);
    };
    return { pid: child.pid, readable: pipe.readable, written, end };
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
      const starting = start(tenantId, task);
      try {
        return { ...(await starting), end };
      } catch (error) {
        underWay.delete(end);
        throw error;
      }
    },
    async close() {
      await Promise.allSettled([...underWay.keys()].map((end) => end()));
      await children.close();
    },
  };
}
