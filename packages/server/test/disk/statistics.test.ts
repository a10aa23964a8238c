import type { StatsFs } from "node:fs";
import fs from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createDiskGuard, diskBytes, diskUse, examineDisk } from "../../src/disk/disk-space.ts";

/** Replaces the statistics of disks until the end of the test. Returns the paths that are read. */
function replaceStatistics(of: (path: string) => Partial<StatsFs>): string[] {
  const { statfs } = fs;
  const paths: string[] = [];
  fs.statfs = (async (path: string) => {
    paths.push(path);
    return of(path);
  }) as unknown as typeof statfs;
  syncBuiltinESMExports();
  onTestFinished(() => {
    fs.statfs = statfs;
    syncBuiltinESMExports();
  });
  return paths;
}

const statistics = { blocks: 1_000, bfree: 400, bavail: 200, bsize: 4_000_000 };

it("counts the blocks that are reserved for root as neither used nor free", async () => {
  replaceStatistics(() => statistics);
  expect(await diskUse("/data")).toEqual({ usedShare: 0.75, freeBytes: 800_000_000 });
  expect(await diskBytes("/data")).toBe(4_000_000_000);
});

it("takes a disk without blocks for unused", async () => {
  replaceStatistics(() => ({ blocks: 0, bfree: 0, bavail: 0, bsize: 4_096 }));
  expect(await diskUse("/data")).toEqual({ usedShare: 0, freeBytes: 0 });
});

it("reads the closest parent of a directory that does not exist, and fails if there is none", async () => {
  const missing = new Error("no such directory");
  const paths = replaceStatistics((path) => {
    if (path.endsWith("none") || path.endsWith("deeper")) throw missing;
    return statistics;
  });
  const path = join(process.cwd(), "none", "deeper");
  expect(await diskBytes(path)).toBe(4_000_000_000);
  expect(paths).toEqual([path, join(process.cwd(), "none"), process.cwd()]);
  replaceStatistics(() => {
    throw missing;
  });
  await expect(diskUse("/data")).rejects.toBe(missing);
});

it.each([
  [0.75, true, "75 % of the disk is used, 0.8 GB are free."],
  [
    0.7496,
    false,
    "75 % of the disk is used, 0.8 GB are free. No run starts above 75 %: free space, or raise limits.maxDiskShare.",
  ],
  [
    0.5,
    false,
    "75 % of the disk is used, 0.8 GB are free. No run starts above 50 %: free space, or raise limits.maxDiskShare.",
  ],
])("reports the disk with the limit %d", async (maxDiskShare, hasSpace, meaning) => {
  replaceStatistics(() => statistics);
  expect(await examineDisk("/data", maxDiskShare)).toEqual({ hasSpace, meaning });
});

it("logs why no run starts, each time that the disk becomes too full", async () => {
  const error = vi.fn();
  let usedShare = 0.9514;
  let isWhole = true;
  const restore = vi.fn(async () => {});
  const reserve = {
    get isWhole() {
      return isWhole;
    },
    free: () => true,
    restore,
  };
  const use = async () => ({ usedShare, freeBytes: 7 });
  const guard = createDiskGuard({ folder: "/data", log: { error }, reserve, use });
  expect(guard.waitReason).toBeUndefined();
  expect([await guard.hasSpace(), await guard.hasSpace()]).toEqual([false, false]);
  expect(guard.waitReason).toBe("The disk of the service is too full; the run starts when it has space.");
  expect(restore).not.toHaveBeenCalled();
  usedShare = 0.95;
  expect([await guard.hasSpace(), guard.waitReason]).toEqual([true, undefined]);
  isWhole = false;
  expect(await guard.hasSpace()).toBe(false);
  expect(restore.mock.calls).toEqual([[7]]);
  expect(error.mock.calls.map(([message, { message: reason }]) => [message, reason])).toEqual([
    [
      "no run starts, because the disk is too full",
      "95.1 % of the disk of /data is used; free space, or raise limits.maxDiskShare (95 %)",
    ],
    [
      "no run starts, because the disk is too full",
      "the space that the service reserves for its store in /data is incomplete; free at least 32 MB of the disk",
    ],
  ]);
});

it("keeps an answer for its time if the disk had space", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  vi.advanceTimersByTime(1);
  const use = vi.fn(async () => ({ usedShare: 0.5, freeBytes: 7 }));
  const guard = createDiskGuard({ folder: "/data", log: { error: () => {} }, use, checkedMs: 20 });
  await guard.hasSpace();
  vi.advanceTimersByTime(19);
  expect([await guard.hasSpace(), use.mock.calls.length]).toEqual([true, 1]);
  vi.advanceTimersByTime(1);
  expect([await guard.hasSpace(), use.mock.calls]).toEqual([true, [["/data"], ["/data"]]]);
  const unkept = createDiskGuard({ folder: "/data", log: { error: () => {} }, use });
  for (let checks = 0; checks < 2; checks += 1) await unkept.hasSpace();
  expect(use).toHaveBeenCalledTimes(4);
});
