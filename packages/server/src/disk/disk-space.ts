import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import { limitDefaults } from "../common/limits.ts";
import type { Log } from "../common/log.ts";
import { type Reserve, restorableBytes } from "./reserve.ts";

/** Use of the disk that contains a folder, as `df` counts it. */
export interface DiskUse {
  /** Used share, from 0 to 1, of the blocks that are not reserved for root. */
  readonly usedShare: number;
  readonly freeBytes: number;
}

export interface DiskReport {
  readonly hasSpace: boolean;
  readonly meaning: string;
}

/** Decides whether the disk has space for new runs. */
export interface DiskGuard {
  /**
   * Checks the disk, and reserves the space of the store again if there is room. Logs an error each time the disk
   * becomes too full.
   */
  hasSpace(): Promise<boolean>;
  /** Reason why queued runs wait, by the last check; undefined if the disk had space. */
  readonly waitReason: string | undefined;
}

export interface DiskGuardOptions {
  readonly folder: string;
  readonly log: Log;
  /** @default the default of the limit */
  readonly maxDiskShare?: number;
  /** Reserved space of the store. While a part of it is in use, the disk counts as too full. @default none */
  readonly reserve?: Reserve;
  /** Time for which `hasSpace` answers as the last check did if that found space, in milliseconds. @default 0 */
  readonly checkedMs?: number;
  /** @default {@link diskUse} */
  readonly use?: (folder: string) => Promise<DiskUse>;
}

export function createDiskGuard(options: DiskGuardOptions): DiskGuard {
  const { folder, log, maxDiskShare = limitDefaults.maxDiskShare, reserve, use = diskUse } = options;
  const { checkedMs = 0 } = options;
  let hadSpace = true;
  let checkedUntil = 0;

  /** Describes the lack of space; undefined if there is none. */
  async function shortage(): Promise<string | undefined> {
    const { usedShare, freeBytes } = await use(folder);
    if (reserve?.isWhole === false) await reserve.restore(freeBytes);
    if (usedShare > maxDiskShare)
      return `${percent(usedShare)} of the disk of ${folder} is used; free space, or raise limits.maxDiskShare (${percent(maxDiskShare)})`;
    return reserve?.isWhole === false
      ? `the space that the service reserves for its store in ${folder} is incomplete; free at least ${restorableBytes / 1e6} MB of the disk`
      : undefined;
  }

  return {
    async hasSpace() {
      if (performance.now() < checkedUntil) return true;
      const reason = await shortage();
      if (hadSpace && reason !== undefined) log.error("no run starts, because the disk is too full", new Error(reason));
      hadSpace = reason === undefined;
      if (hadSpace) checkedUntil = performance.now() + checkedMs;
      return hadSpace;
    },
    get waitReason() {
      return hadSpace ? undefined : "The disk of the service is too full; the run starts when it has space.";
    },
  };
}

/** Reports the use of the disk that contains a data directory. */
export async function examineDisk(dataDir: string, maxDiskShare = limitDefaults.maxDiskShare): Promise<DiskReport> {
  const { usedShare, freeBytes } = await diskUse(dataDir);
  const used = `${percent(usedShare)} of the disk is used, ${Math.floor(freeBytes / 1e8) / 10} GB are free.`;
  const hasSpace = usedShare <= maxDiskShare;
  const advice = `No run starts above ${percent(maxDiskShare)}: free space, or raise limits.maxDiskShare.`;
  return { hasSpace, meaning: hasSpace ? used : `${used} ${advice}` };
}

/** Formats a share with one decimal, so that a share just above the limit rarely looks equal to it. */
function percent(share: number): string {
  return `${Math.round(share * 1_000) / 10} %`;
}

/** Returns the use of the disk of a folder. If the folder does not exist, takes its closest parent that does. */
export async function diskUse(folder: string): Promise<DiskUse> {
  const { blocks, bfree, bavail, bsize } = await diskOf(folder);
  // Blocks that only root may use are neither used nor available.
  const used = blocks - bfree;
  return { usedShare: used + bavail === 0 ? 0 : used / (used + bavail), freeBytes: bavail * bsize };
}

/** Returns the size of the disk of a folder, in bytes. */
export async function diskBytes(folder: string): Promise<number> {
  const { blocks, bsize } = await diskOf(folder);
  return blocks * bsize;
}

async function diskOf(folder: string): Promise<StatsFs> {
  let path = resolve(folder);
  for (;;) {
    try {
      return await statfs(path);
    } catch (error) {
      if (dirname(path) === path) throw error;
      path = dirname(path);
    }
  }
}
