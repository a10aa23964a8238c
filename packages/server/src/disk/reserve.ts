import { randomFillSync } from "node:crypto";
import { closeSync, ftruncateSync, openSync, statSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isDiskFull } from "../common/disk-full.ts";

/** Bytes of the reserved space. The end of a run writes about 50 kB to the store. */
const reserveBytes = 16_000_000;
/** Free bytes that the disk must have before the space is reserved again. */
export const restorableBytes = 2 * reserveBytes;
const partBytes = 4_000_000;
const blockBytes = 1_000_000;

/**
 * Reserved space of the disk: a file that is shortened when the disk is full, so that the store can still record the end
 * of runs, and delete. It is freed in parts, since other processes write to the disk, too.
 */
export interface Reserve {
  /** True if no part of the space is in use. */
  readonly isWhole: boolean;
  /**
   * Frees a part. Returns false if none is left or the file cannot be shortened. It is synchronous, so that the caller
   * can use the space first.
   */
  free(): boolean;
  /** Reserves the space again if at least twice as much is available. */
  restore(availableBytes: number): Promise<void>;
}

/** @param dataDir data directory; it need not exist before `restore` */
export function createReserve(dataDir: string): Reserve {
  const path = join(resolve(dataDir), "reserve");
  let bytes = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  let restoring: Promise<void> | undefined;

  function change(work: (file: number) => void): void {
    const file = openSync(path, "a", 0o600);
    try {
      work(file);
    } finally {
      closeSync(file);
    }
  }

  /** Appends in steps, so that the event loop serves calls in between. Stops if the disk is full again. */
  async function append(): Promise<void> {
    // Random bytes, because some file systems allocate no space for zeros.
    const block = randomFillSync(new Uint8Array(blockBytes));
    try {
      while (bytes < reserveBytes) {
        change((file) => {
          bytes += writeSync(file, block, 0, Math.min(blockBytes, reserveBytes - bytes));
        });
        await setImmediate();
      }
    } catch (error) {
      if (!isDiskFull(error)) throw error;
    }
  }

  return {
    get isWhole() {
      return bytes >= reserveBytes;
    },
    free() {
      if (bytes === 0) return false;
      const left = Math.max(bytes - partBytes, 0);
      try {
        change((file) => ftruncateSync(file, left));
      } catch {
        return false; // the caller reports the full disk
      }
      bytes = left;
      return true;
    },
    async restore(availableBytes) {
      if (availableBytes < restorableBytes) return;
      restoring ??= append().finally(() => {
        restoring = undefined;
      });
      await restoring;
    },
  };
}
