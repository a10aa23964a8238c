import { mkdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { sharedFolder } from "./child-directory.ts";

/** Empty directories that are created in advance, so that processes can start while the disk is full. */
export interface SpareDirectories {
  /** Creates those that are missing, unless the disk is full. */
  refill(): Promise<void>;
  /** Moves one to a path at which there is no directory, or an empty one. Returns false if that is not possible. */
  moveTo(path: string): Promise<boolean>;
  /** Removes them. No further ones are created. */
  close(): Promise<void>;
}

/**
 * Keeps directories for as many processes as start before `refill` is called again.
 * @param prefix Start of the paths of the directories, which no other directory has.
 */
export function createSpareDirectories(prefix: string, count: number): SpareDirectories {
  const ready: string[] = [];
  let created = 0;
  let refilling: Promise<void> | undefined;
  let isClosed = false;

  async function create(): Promise<void> {
    while (!isClosed && ready.length < count) {
      created += 1;
      const path = `${prefix}${created}`;
      await mkdir(join(path, sharedFolder), { recursive: true });
      ready.push(path);
    }
  }

  return {
    refill() {
      refilling ??= create()
        .catch(() => {}) // such as when the disk is full; a later call tries again
        .finally(() => {
          refilling = undefined;
        });
      return refilling;
    },
    async moveTo(path) {
      const spare = ready.pop();
      if (spare === undefined) return false;
      try {
        await rename(spare, path);
        return true;
      } catch {
        ready.push(spare);
        return false;
      }
    },
    async close() {
      isClosed = true;
      await refilling;
      await Promise.all(ready.splice(0).map((path) => rm(path, { recursive: true, force: true })));
    },
  };
}
