import { lstat, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { residentBytes, watchDisk, watchMemory } from "../../src/processes/watchdogs.ts";

/** Watches that were started, and those that were ended. */
function watches() {
  const set = vi.spyOn(globalThis, "setInterval");
  const clear = vi.spyOn(globalThis, "clearInterval");
  return {
    started: () => set.mock.results.map(({ value }) => value as NodeJS.Timeout),
    ended: () => clear.mock.calls.map(([timer]) => timer),
  };
}
afterEach(() => void vi.restoreAllMocks());

describe("the disk watchdog", () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "quern-disk-"));
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it("reports once if files below the directory exceed the limit, and ends", async () => {
    const timers = watches();
    await mkdir(join(folder, "below"));
    const exceeded = vi.fn();
    const stop = watchDisk(folder, 100_000, exceeded);
    await writeFile(join(folder, "small"), Buffer.alloc(60_000, 1));
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(exceeded).not.toHaveBeenCalled();
    await writeFile(join(folder, "below", "more"), Buffer.alloc(60_000, 1));
    await expect.poll(() => exceeded.mock.calls.length, { timeout: 20_000 }).toBe(1);
    expect(timers.ended()).toEqual(timers.started());
    stop();
  });

  it("continues without a directory, does not keep the process alive, and ends when it is stopped", async () => {
    const timers = watches();
    const exceeded = vi.fn();
    const stop = watchDisk(join(folder, "none"), 0, exceeded);
    const [timer] = timers.started();
    expect(timer?.hasRef()).toBe(false);
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect([exceeded.mock.calls.length, timers.ended()]).toEqual([0, []]);
    stop();
    expect(timers.ended()).toEqual([timer]);
  });

  it("measures once at a time, even if it takes longer than the interval", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    await writeFile(join(folder, "large"), Buffer.alloc(60_000, 1));
    const exceeded = vi.fn();
    watchDisk(folder, 1_000, exceeded);
    vi.advanceTimersByTime(10_000);
    vi.useRealTimers();
    await expect.poll(() => exceeded.mock.calls.length, { timeout: 20_000 }).toBe(1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(exceeded).toHaveBeenCalledOnce();
  });

  it("counts the blocks of files, without those that the service shares, and reports nothing after it is stopped", async () => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    for (const path of ["shared", "own", "own/shared"]) await mkdir(join(folder, path));
    for (const path of ["shared/data", "own/shared/data"]) await writeFile(join(folder, path), Buffer.alloc(60_000, 1));
    const bytes = (await lstat(join(folder, "own/shared/data"))).blocks * 512;
    const reported: string[] = [];
    const watch = (maxBytes: number, name: string) => watchDisk(folder, maxBytes, () => reported.push(name));
    watch(bytes - 1, "stopped")();
    watch(bytes, "enough");
    const stop = watch(bytes - 1, "stopped while it measures");
    watch(bytes - 1, "too little");
    vi.advanceTimersByTime(250);
    stop();
    vi.useRealTimers();
    await expect.poll(() => reported, { timeout: 20_000 }).toEqual(["too little"]);
  });

  it("does not start without a limit", () => {
    const timers = watches();
    watchDisk(folder, Number.POSITIVE_INFINITY, () => {})();
    expect(timers.started()).toEqual([]);
  });
});

// Node cannot read the memory of another process on Windows.
describe.runIf(process.platform !== "win32")("the memory watchdog", () => {
  it("reports a process beyond its limit once", async () => {
    const timers = watches();
    const exceeded = vi.fn();
    watchMemory(process.pid, 1_000_000, exceeded);
    const [timer] = timers.started();
    expect(timer?.hasRef()).toBe(false);
    await expect.poll(() => exceeded.mock.calls.length, { timeout: 20_000 }).toBe(1);
    expect(timers.ended()).toContain(timer);
  });

  it("reports nothing below the limit, and ends when it is stopped or with the process", async () => {
    const timers = watches();
    const exceeded = vi.fn();
    const stop = watchMemory(process.pid, Number.MAX_SAFE_INTEGER, exceeded);
    watchMemory(2 ** 22 + 1, 0, exceeded); // no process has this number
    const [own, gone] = timers.started();
    await expect.poll(() => timers.ended(), { timeout: 20_000 }).toEqual([gone]);
    stop();
    expect(timers.ended()).toEqual([gone, own]);
    expect(exceeded).not.toHaveBeenCalled();
  });

  it("counts the memory of a process in bytes", () => {
    const { rss } = process.memoryUsage();
    const bytes = residentBytes(process.pid) ?? 0;
    expect(bytes).toBeGreaterThan(rss / 2);
    expect(bytes).toBeLessThan(rss * 2);
    expect(residentBytes(2 ** 22 + 1)).toBeUndefined();
  });
});
