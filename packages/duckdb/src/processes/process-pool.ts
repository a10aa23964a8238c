import { mkdir, rm } from "node:fs/promises";
import type { Child } from "./child.ts";
import { residentBytes } from "./watchdogs.ts";

/** Limits of idle processes and of reuse. */
export interface ProcessPoolLimits {
  /** Longest time that a process stays idle, in milliseconds. */
  readonly maxIdleMs: number;
  /** Idle processes of all owners together. The process that has been idle longest ends first. */
  readonly maxIdle: number;
  /** Largest resident memory of an idle process, in bytes. Not checked on systems that do not report it. */
  readonly maxIdleBytes: number;
  /** Largest number of times that one process is acquired. */
  readonly maxUses: number;
}

export interface ProcessPoolOptions extends ProcessPoolLimits {
  /** Returns the directory of a process. The pool creates it before the process starts and removes it after the end. */
  readonly directoryOf: (serial: number) => string;
  readonly start: (directory: string) => Child;
}

/** Process that one owner uses alone until it is released. */
export interface PooledProcess {
  readonly child: Child;
  readonly directory: string;
  /**
   * Gives the process back. Resolves when the process is idle or has ended.
   * @param isReusable Pass false after a failure or an abort: the process is then killed.
   */
  release(isReusable: boolean): Promise<void>;
}

/** Pool of child processes. A process is reused by its first owner only, so that no data crosses owners. */
export interface ProcessPool {
  /** Returns an idle process of the owner, or a new process. */
  acquire(owner: string): Promise<PooledProcess>;
  /** Ends the idle processes now, and the others when they are released. */
  close(): Promise<void>;
}

interface Entry {
  readonly owner: string;
  readonly child: Child;
  readonly directory: string;
  /** Resolves when the process has ended and its directory is removed. */
  readonly removed: Promise<void>;
  uses: number;
  timer?: NodeJS.Timeout;
}

/** Creates a pool without processes. */
export function createProcessPool(options: ProcessPoolOptions): ProcessPool {
  const { maxIdleMs, maxIdle, maxIdleBytes, maxUses, directoryOf, start } = options;
  /** In the order in which they became idle. */
  const idle = new Set<Entry>();
  let started = 0;
  let isClosed = false;

  async function startFor(owner: string): Promise<Entry> {
    started += 1;
    const directory = directoryOf(started);
    await mkdir(directory, { recursive: true });
    const child = start(directory);
    const removed = child.ended.then(async () => {
      removeIdle(entry);
      // A directory that cannot be removed stays until the server empties its work directory at its next start.
      await rm(directory, { recursive: true, force: true }).catch(() => {});
    });
    const entry: Entry = { owner, child, directory, removed, uses: 0 };
    return entry;
  }

  function removeIdle(entry: Entry): void {
    clearTimeout(entry.timer);
    idle.delete(entry);
  }

  async function end(entry: Entry): Promise<void> {
    removeIdle(entry);
    entry.child.kill();
    await entry.removed;
  }

  function canStay({ child, uses }: Entry): boolean {
    return !isClosed && !child.hasEnded && uses < maxUses && (residentBytes(child.pid) ?? 0) <= maxIdleBytes;
  }

  async function addIdle(entry: Entry): Promise<void> {
    entry.timer = setTimeout(() => void end(entry), maxIdleMs).unref();
    idle.add(entry);
    const [oldest] = idle;
    if (oldest !== undefined && idle.size > maxIdle) await end(oldest);
  }

  return {
    async acquire(owner) {
      // The process that became idle last, so that the others reach their idle limit.
      const found = [...idle].findLast((entry) => entry.owner === owner && !entry.child.hasEnded);
      if (found !== undefined) removeIdle(found);
      const entry = found ?? (await startFor(owner));
      entry.uses += 1;
      const { child, directory } = entry;
      return {
        child,
        directory,
        release: (isReusable) => (isReusable && canStay(entry) ? addIdle(entry) : end(entry)),
      };
    },
    async close() {
      isClosed = true;
      await Promise.all([...idle].map(end));
    },
  };
}
