import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { limitDefaults } from "../common/limits.ts";
import type { Log } from "../common/log.ts";

/** Use of the disk that contains a folder. */
export interface DiskUse {
  /** Used share, from 0 to 1. */
  readonly usedShare: number;
  readonly freeBytes: number;
}

export interface DiskReport {
  readonly hasSpace: boolean;
  readonly meaning: string;
}

/**
 * Creates a function that returns whether the used share of the disk is within its limit. It logs an error each time
 * the share rises above the limit.
 */
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
      const cause = new Error(
        `${percent(usedShare)} of the disk of ${folder} is used; free space, or raise limits.maxDiskShare (${percent(maxDiskShare)})`,
      );
      log.error("no run starts, because the disk is too full", cause);
    }
    hadSpace = hasSpace;
    return hasSpace;
  };
}

/** Reports the use of the disk that contains a data directory. */
export async function examineDisk(dataDir: string, maxDiskShare = limitDefaults.maxDiskShare): Promise<DiskReport> {
  const { usedShare, freeBytes } = await diskUse(dataDir);
  const used = `${percent(usedShare)} of the disk is used, ${Math.floor(freeBytes / 1e9)} GB are free.`;
  const hasSpace = usedShare <= maxDiskShare;
  const advice = `No run starts above ${percent(maxDiskShare)}: free space, or raise limits.maxDiskShare.`;
  return { hasSpace, meaning: hasSpace ? used : `${used} ${advice}` };
}

/** Formats a share with one decimal, so that a share just above the limit does not look equal to it. */
function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}

/** Returns the use of the disk of a folder. If the folder does not exist, takes its closest parent that does. */
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
