import { mkdirSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const retryMs = 5;
/** Age in milliseconds from which a lock counts as abandoned by a killed process; writing a file takes far less. */
const staleMs = 10_000;

/**
 * Runs work on a file while no other process does. The lock is a folder beside the file; waiting for it blocks the
 * event loop.
 */
export function withFileLock(path: string | URL, work: () => void): void {
  const lock = `${path instanceof URL ? fileURLToPath(path) : path}.lock`;
  while (!acquire(lock)) {
    if (ageMs(lock) > staleMs) removeAbandoned(lock);
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryMs);
  }
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** Removes an abandoned lock, under a lock of its own: two processes at once could remove a new lock of a third one. */
function removeAbandoned(lock: string): void {
  withFileLock(lock, () => {
    if (ageMs(lock) > staleMs) rmSync(lock, { recursive: true, force: true });
  });
}

/** Creates the lock folder, which is atomic; returns false if it exists. */
function acquire(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** Returns the age of a lock in milliseconds; 0 if it was released meanwhile. */
function ageMs(lock: string): number {
  const stats = statSync(lock, { throwIfNoEntry: false });
  return stats === undefined ? 0 : Date.now() - stats.mtimeMs;
}
