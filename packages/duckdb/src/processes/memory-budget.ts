import { readFileSync } from "node:fs";
import { residentBytes } from "./watchdogs.ts";

/** Memory that all child processes of a service may use together. */
export interface MemoryBudget {
  /** Memory above which the process that uses the most is ended, in bytes. */
  readonly maxBytes: number;
  /**
   * Counts a process until the returned function is called.
   * @param onExceeded called if all processes together use too much memory, and this one uses the most
   */
  add(pid: number, onExceeded: () => void): () => void;
}

const intervalMs = 200;

/** Creates a budget. It checks the processes at an interval while there are any. */
export function createMemoryBudget(maxBytes: number): MemoryBudget {
  const counted = new Map<number, () => void>();
  let timer: NodeJS.Timeout | undefined;

  function check(): void {
    const used = [...counted.keys()].map((pid) => ({ pid, bytes: privateBytes(pid) }));
    const sum = used.reduce((total, { bytes }) => total + bytes, 0);
    if (sum <= maxBytes) return;
    const [largest] = used.toSorted((a, b) => b.bytes - a.bytes);
    if (largest === undefined) return;
    const exceed = counted.get(largest.pid);
    remove(largest.pid); // its memory counts no longer, since it is being killed
    exceed?.();
  }

  function remove(pid: number): void {
    counted.delete(pid);
    if (counted.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    maxBytes,
    add(pid, onExceeded) {
      counted.set(pid, onExceeded);
      timer ??= setInterval(check, intervalMs).unref();
      return () => remove(pid);
    },
  };
}

/** Returns the memory that a process shares with no other; on systems that do not report it, its resident memory. */
function privateBytes(pid: number): number {
  try {
    const kilobytes = /^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    if (kilobytes !== undefined) return Number(kilobytes) * 1_024;
  } catch {
    // The process has ended, or the system has no such file.
  }
  return residentBytes(pid) ?? 0;
}
