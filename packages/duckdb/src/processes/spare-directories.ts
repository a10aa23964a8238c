import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { sharedFolder } from "./child-directory.ts";

/** Empty directories that are created in advance, so that processes can start while the disk is full. */
export interface SpareDirectories {
  /** Creates those that are missing, unless the disk is full. */
  refill(): Promise<void>;
  /** Moves one to a path at which there is no directory, or an empty one. Returns false if none is left. */
  moveTo(path: string): Promise<boolean>;
  remove(): Promise<void>;
}

/** @param prefix Start of their paths, which no other directory has. */
export function createSpareDirectories(prefix: string, count: number): SpareDirectories {
  const ready: string[] = [];
  let missing = count;
  let created = 0;
  return {
    async refill() {
      while (missing > 0) {
        missing -= 1; // a second call meanwhile creates the others
        const path = `${prefix}${++created}`;
        try {
          await mkdir(join(path, sharedFolder), { recursive: true });
        } catch {
          missing += 1; // such as when the disk is full; a later call tries again
          return;
        }
        ready.push(path);
      }
    },
    async moveTo(path) {
      const spare = ready.pop();
      if (spare === undefined) return false;
      missing += 1;
      await rename(spare, path);
      return true;
    },
    async remove() {
      await Promise.all(ready.splice(0).map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}
