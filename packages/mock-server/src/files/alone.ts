import { mkdirSync, rmSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

const lookMs = 5;
/** Nobody takes so long to write a file; whoever has a lock that old was ended. */
const staleMs = 10_000;

/** Does something with a file while no other process does. */
export function alone(path: string | URL, work: () => void): void {
  const lock = `${path instanceof URL ? fileURLToPath(path) : path}.lock`;
  while (!made(lock)) {
    if (ageMs(lock) > staleMs) rmSync(lock, { recursive: true, force: true });
    else Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lookMs);
  }
  try {
    work();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

/** A folder is made by one alone, and there at once. */
function made(lock: string): boolean {
  try {
    mkdirSync(lock);
    return true;
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") return false;
    throw error;
  }
}

/** 0 where it is gone again. */
function ageMs(lock: string): number {
  const made = statSync(lock, { throwIfNoEntry: false });
  return made === undefined ? 0 : Date.now() - made.mtimeMs;
}
