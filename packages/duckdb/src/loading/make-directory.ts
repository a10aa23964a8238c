import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/**
 * Creates a directory, and the ones above it that are missing, as `mkdir` with `recursive` does. That call of Node
 * repeats without end in a folder in which no directory can be created, such as /proc.
 * @returns true if the directory did not exist
 */
export function makeDirectory(path: string, mode?: number): boolean {
  const full = resolve(path);
  if (isDirectory(full)) return false;
  const parent = dirname(full);
  if (parent !== full) makeDirectory(parent, mode);
  try {
    mkdirSync(full, mode);
    return true;
  } catch (error) {
    // Another process may have created it meanwhile.
    if (isDirectory(full)) return false;
    throw error;
  }
}

function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false; // a file is above it, which the creation reports
  }
}
