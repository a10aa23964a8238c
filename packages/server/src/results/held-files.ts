import { rm } from "node:fs/promises";

/** Reference counts of files: a removed file stays on the disk until its last reader releases it. */
export interface HeldFiles {
  /**
   * Counts a reader of a file until the returned function is called. Returns undefined for a file that is marked as
   * removed.
   */
  hold(path: string): (() => Promise<void>) | undefined;
  /** Removes a file or folder; a file with readers is removed when its last reader releases it. */
  remove(path: string): Promise<void>;
}

interface Hold {
  readers: number;
  isRemoved: boolean;
}

export function createHeldFiles(): HeldFiles {
  const holds = new Map<string, Hold>();

  async function release(path: string, hold: Hold): Promise<void> {
    hold.readers -= 1;
    if (hold.readers > 0) return;
    holds.delete(path);
    if (hold.isRemoved) await rm(path, { force: true });
  }

  return {
    hold(path) {
      const hold = holds.get(path) ?? { readers: 0, isRemoved: false };
      if (hold.isRemoved) return undefined;
      hold.readers += 1;
      holds.set(path, hold);
      let released: Promise<void> | undefined;
      return () => {
        released ??= release(path, hold);
        return released;
      };
    },
    async remove(path) {
      const hold = holds.get(path);
      if (hold === undefined) await rm(path, { recursive: true, force: true });
      else hold.isRemoved = true;
    },
  };
}
