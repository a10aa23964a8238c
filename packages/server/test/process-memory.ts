import { readFileSync } from "node:fs";

/** Returns the resident memory of a process by the kernel; 0 without /proc. */
export function residentMegabytes(pid = 0): number {
  try {
    return Math.round(Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_000);
  } catch {
    return 0;
  }
}
