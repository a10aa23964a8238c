import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** How often a process is looked at: reading a file of the kernel costs little, starting `ps` more. */
const intervalMs = process.platform === "linux" ? 100 : 500;

/** Calls `onExceeded` once when the process has more memory than it may; the end of a process ends the watch. */
export function watchMemory(pid: number, maxBytes: number, onExceeded: () => void): () => void {
  const watch = setInterval(() => {
    const bytes = residentBytes(pid);
    if (bytes !== undefined && bytes <= maxBytes) return;
    clearInterval(watch);
    if (bytes !== undefined) onExceeded();
  }, intervalMs);
  watch.unref(); // the process keeps the server going while it must, not its watch
  return () => clearInterval(watch);
}

/** The memory of a process in RAM; undefined when it has ended, or where the system does not tell. */
export function residentBytes(pid: number): number | undefined {
  const kilobytes = process.platform === "linux" ? fromKernel(pid) : fromProcessStatus(pid);
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
}

function fromKernel(pid: number): string | undefined {
  try {
    return /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

function fromProcessStatus(pid: number): string | undefined {
  if (process.platform === "win32") return undefined;
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return /\d+/.exec(stdout ?? "")?.[0];
}
