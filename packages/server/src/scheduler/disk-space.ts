import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { limitDefaults } from "../common/limits.ts";
import type { Log } from "../common/log.ts";

/** How full the disk is on which a folder lies, or will lie. */
export interface DiskUse {
  readonly usedShare: number;
  readonly freeBytes: number;
}

export interface DiskReport {
  readonly hasSpace: boolean;
  readonly meaning: string;
}

/** Tells before each run is begun whether the disk has room for it; the operator is told when it ends. */
export function createDiskGuard(
  folder: string,
  log: Log,
  maxDiskShare = limitDefaults.maxDiskShare,
  use: (folder: string) => Promise<DiskUse> = diskUse,
): () => Promise<boolean> {
  let hadSpace = true;
  return async () => {
    const { usedShare } = await use(folder);
    const hasSpace = usedShare <= maxDiskShare;
    if (hadSpace && !hasSpace) {
      const cause = new Error(`${Math.round(usedShare * 100)} % of the disk of ${folder} is used`);
      log.error("no run is begun until the disk has room again", cause);
    }
    hadSpace = hasSpace;
    return hasSpace;
  };
}

/** What the operator is told of the disk of a data directory. */
export async function examineDisk(dataDir: string, maxDiskShare = limitDefaults.maxDiskShare): Promise<DiskReport> {
  const { usedShare, freeBytes } = await diskUse(dataDir);
  const used = `${Math.round(usedShare * 100)} % of the disk is used, ${Math.floor(freeBytes / 1e9)} GB are free.`;
  const hasSpace = usedShare <= maxDiskShare;
  return { hasSpace, meaning: hasSpace ? used : `${used} No run is begun until there is room again.` };
}

/** Asks for the closest folder that exists, so that a data directory which is yet to be made has a disk, too. */
export async function diskUse(folder: string): Promise<DiskUse> {
  let path = resolve(folder);
  for (;;) {
    try {
      const { blocks, bavail, bsize } = await statfs(path);
      return { usedShare: blocks === 0 ? 0 : 1 - bavail / blocks, freeBytes: bavail * bsize };
    } catch (error) {
      if (dirname(path) === path) throw error;
      path = dirname(path);
    }
  }
}
