/**
 * Watchdogs in the server that check the memory, disk use and heartbeat of a child process. Each is stopped with its
 * process.
 */
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import { sharedFolder } from "./child-directory.ts";

/** On Linux a check reads one file of the kernel; on other systems it starts `ps`, which costs more. */
const memoryIntervalMs = process.platform === "linux" ? 100 : 500;
const diskIntervalMs = 250;
const heartbeatIntervalMs = 10_000;
/** Number of unanswered pings after which a process counts as dead. */
const maxUnansweredPings = 3;

/** Calls `onExceeded` once if the process has more resident memory than `maxBytes`. Stops when the process ends. */
export function watchMemory(pid: number, maxBytes: number, onExceeded: () => void): () => void {
  const timer = setInterval(() => {
    const bytes = residentBytes(pid);
    if (bytes !== undefined && bytes <= maxBytes) return;
    clearInterval(timer);
    if (bytes !== undefined) onExceeded();
  }, memoryIntervalMs);
  timer.unref(); // the timer alone must not keep the server alive
  return () => clearInterval(timer);
}

/** Returns the resident memory of a process in bytes; undefined if it has ended or the system does not report it. */
export function residentBytes(pid: number): number | undefined {
  const kilobytes = process.platform === "linux" ? residentFromKernel(pid) : residentFromPs(pid);
  return kilobytes === undefined ? undefined : Number(kilobytes) * 1_024;
}

function residentFromKernel(pid: number): string | undefined {
  try {
    return /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  } catch {
    return undefined;
  }
}

function residentFromPs(pid: number): string | undefined {
  if (process.platform === "win32") return undefined;
  const { stdout } = spawnSync("ps", ["-o", "rss=", "-p", String(pid)], { encoding: "utf8" });
  return /\d+/.exec(stdout ?? "")?.[0];
}

/** Calls `onExceeded` once if the files below a directory take more than `maxBytes` on the disk. */
export function watchDisk(directory: string, maxBytes: number, onExceeded: () => void): () => void {
  if (maxBytes === Number.POSITIVE_INFINITY) return () => {};
  let isMeasuring = false; // measuring many files can take longer than the interval
  let isStopped = false;
  const timer = setInterval(() => {
    if (isMeasuring) return;
    isMeasuring = true;
    void bytesBelow(directory).then((bytes) => {
      isMeasuring = false;
      if (bytes <= maxBytes || isStopped) return;
      clearInterval(timer);
      onExceeded();
    });
  }, diskIntervalMs);
  timer.unref();
  return () => {
    isStopped = true;
    clearInterval(timer);
  };
}

/**
 * Adds up the disk blocks of all files below a directory, without those that the service shares with the process. A
 * file that disappears meanwhile counts as 0.
 */
async function bytesBelow(directory: string): Promise<number> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const shared = join(directory, sharedFolder);
  const own = entries.filter((entry) => entry.isFile() && entry.parentPath !== shared);
  const files = own.map(({ parentPath, name }) => join(parentPath, name));
  const stats = await Promise.all(files.map((file) => lstat(file).catch(() => undefined)));
  return stats.reduce((sum, stat) => sum + (stat?.blocks ?? 0) * 512, 0);
}

/** Pings a process at an interval, because a process can be alive and yet make no progress. */
export interface Heartbeat {
  /** Records an answer to a ping. */
  answered(): void;
  stop(): void;
}

/** @param onSilence called once if the process has not answered several pings in a row */
export function startHeartbeat(ping: () => void, onSilence: () => void): Heartbeat {
  let unanswered = 0;
  const timer = setInterval(() => {
    unanswered += 1;
    if (unanswered <= maxUnansweredPings) return ping();
    clearInterval(timer);
    onSilence();
  }, heartbeatIntervalMs);
  timer.unref();
  return {
    answered: () => {
      unanswered = 0;
    },
    stop: () => clearInterval(timer),
  };
}
