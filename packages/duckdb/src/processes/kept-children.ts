import { mkdir, rm } from "node:fs/promises";
import type { Child } from "./child.ts";
import { residentBytes } from "./memory-watchdog.ts";

/** Limits of idle processes. */
export interface KeepingLimits {
  /** Longest time that a process waits for its next loan. */
  readonly maxIdleMs: number;
  /** Idle processes of all owners together; the one that has waited longest ends first. */
  readonly maxIdle: number;
  /** Memory with which a process may wait. No limit where the system does not tell it. */
  readonly maxIdleBytes: number;
  /** Loans of one process. */
  readonly maxLoans: number;
}

export interface KeptChildrenOptions extends KeepingLimits {
  /** The directory of a process; it is made before the process starts and removed after its end. */
  readonly directoryOf: (serial: number) => string;
  readonly start: (directory: string) => Child;
}

/** A process for one piece of work. */
export interface Loan {
  readonly child: Child;
  readonly directory: string;
  /**
   * Ends the loan. Resolves once the process waits for its owner's next loan, or has ended.
   * @param isReusable False after a failure or an abort: the process is then killed.
   */
  end(isReusable: boolean): Promise<void>;
}

/** Processes that are reused, each by one owner alone. */
export interface KeptChildren {
  /** Lends an idle process of the owner, else a new one. */
  lend(owner: string): Promise<Loan>;
  /** Ends the idle processes, and the others when their loan ends. */
  close(): Promise<void>;
}

interface Kept {
  readonly owner: string;
  readonly child: Child;
  readonly directory: string;
  /** Resolves when the process has ended and its directory is removed. */
  readonly gone: Promise<void>;
  loans: number;
  timer?: NodeJS.Timeout;
}

export function createKeptChildren(options: KeptChildrenOptions): KeptChildren {
  const { maxIdleMs, maxIdle, maxIdleBytes, maxLoans, directoryOf, start } = options;
  /** In the order in which they became idle. */
  const idle = new Set<Kept>();
  let started = 0;
  let isClosed = false;

  async function startFor(owner: string): Promise<Kept> {
    started += 1;
    const directory = directoryOf(started);
    await mkdir(directory, { recursive: true });
    const child = start(directory);
    const gone = child.ended.then(async () => {
      take(kept);
      // The server empties its work directory when it starts.
      await rm(directory, { recursive: true, force: true }).catch(() => {});
    });
    const kept: Kept = { owner, child, directory, gone, loans: 0 };
    return kept;
  }

  /** Takes a process out of the idle ones. */
  function take(kept: Kept): void {
    clearTimeout(kept.timer);
    idle.delete(kept);
  }

  async function end(kept: Kept): Promise<void> {
    take(kept);
    kept.child.kill();
    await kept.gone;
  }

  function mayWait({ child, loans }: Kept): boolean {
    return !isClosed && !child.hasEnded && loans < maxLoans && (residentBytes(child.pid) ?? 0) <= maxIdleBytes;
  }

  async function keep(kept: Kept): Promise<void> {
    kept.timer = setTimeout(() => void end(kept), maxIdleMs).unref();
    idle.add(kept);
    const [oldest] = idle;
    if (oldest !== undefined && idle.size > maxIdle) await end(oldest);
  }

  return {
    async lend(owner) {
      // The last one that became idle, so that the others come to the end of their time.
      const found = [...idle].findLast((kept) => kept.owner === owner && !kept.child.hasEnded);
      if (found !== undefined) take(found);
      const kept = found ?? (await startFor(owner));
      kept.loans += 1;
      const { child, directory } = kept;
      return { child, directory, end: (isReusable) => (isReusable && mayWait(kept) ? keep(kept) : end(kept)) };
    },
    async close() {
      isClosed = true;
      await Promise.all([...idle].map(end));
    },
  };
}
