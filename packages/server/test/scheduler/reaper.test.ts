import { afterEach, expect, it, vi } from "vitest";
import { createReaper } from "../../src/scheduler/reaper.ts";
import { createDependencies } from "./dependencies.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function createBench(sweep: () => Promise<void>) {
  const deps = createDependencies(() => {}, { sweep });
  return { deps, reaper: createReaper({ ...deps, reader: { sweep: async () => {} }, intervalMs: 60_000 }) };
}

it("sweeps once each interval until it is closed, one sweep at a time", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const ends: (() => void)[] = [];
  const { reaper } = createBench(() => new Promise((resolve) => ends.push(resolve)));
  vi.advanceTimersByTime(60_000);
  await vi.waitUntil(() => ends.length === 1);
  vi.advanceTimersByTime(60_000);
  const asked = reaper.reap();
  ends[0]?.();
  await asked;
  expect(ends).toHaveLength(1);
  vi.advanceTimersByTime(60_000);
  await vi.waitUntil(() => ends.length === 2);
  let isClosed = false;
  const closed = reaper.close().then(() => {
    isClosed = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  expect([vi.getTimerCount(), isClosed]).toEqual([0, false]);
  ends[1]?.();
  await closed;
});

it("logs a failed sweep, and continues", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  let sweeps = 0;
  const { deps, reaper } = createBench(() => {
    sweeps += 1;
    return Promise.reject(new Error("the disk is away"));
  });
  vi.advanceTimersByTime(60_000);
  await vi.waitUntil(() => deps.logged.length === 1);
  vi.advanceTimersByTime(60_000);
  await vi.waitUntil(() => deps.logged.length === 2);
  expect([deps.logged[0], sweeps]).toEqual(["expired results, old records or orphaned files could not be removed", 2]);
  await reaper.close();
});

it("keeps no process alive", async () => {
  const set = vi.spyOn(globalThis, "setInterval");
  const { reaper } = createBench(async () => {});
  expect(set.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  await reaper.close();
});

it("sweeps the results of several servers on the leader only, and at most hourly; each server sweeps its copies", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const calls: string[] = [];
  const deps = createDependencies(() => {}, {
    sweep: async () => void calls.push("sweep"),
    sweepCache: async () => void calls.push("cache"),
  });
  let isLeader = false;
  const store = { ...deps.store, isShared: true };
  const expired = vi.spyOn(store.runs, "expired");
  const copies = vi.fn(async () => {});
  const options = { ...deps, store, reader: { sweep: copies }, intervalMs: 60_000, isLeader: () => isLeader };
  const reaper = createReaper(options);
  const elapse = async (minutes: number): Promise<void> => {
    vi.advanceTimersByTime(60_000);
    await vi.waitUntil(() => copies.mock.calls.length === minutes);
  };
  await elapse(1);
  expect([calls, expired.mock.calls.length]).toEqual([["cache"], 0]);
  isLeader = true;
  for (let minute = 2; minute <= 63; minute += 1) await elapse(minute);
  expect(calls).toEqual(["cache", "sweep", ...Array(59).fill("cache"), "sweep", "cache"]);
  expect(expired).toHaveBeenCalledTimes(62);
  await reaper.close();
});

it("ends a sweep before its next file on close, and waits for the file in progress", async () => {
  const deps = createDependencies(() => {});
  const steps: string[] = [];
  let answer = (): void => {};
  const run = vi.spyOn(deps.store.runs, "run").mockImplementation(async () => {
    await new Promise<void>((resolve) => {
      answer = resolve;
    });
    return undefined;
  });
  const sweep: typeof deps.results.sweep = async (ownerOf) => {
    for (const file of ["first", "second"]) {
      await ownerOf(file);
      steps.push(file);
    }
  };
  const results = { ...deps.results, sweep };
  const reaper = createReaper({ ...deps, results, reader: { sweep: async () => {} }, intervalMs: 60_000 });
  const swept = reaper.sweep();
  expect(reaper.sweep()).toBe(swept);
  await vi.waitUntil(() => run.mock.calls.length === 1);
  const closed = reaper.close().then(() => steps.push("closed"));
  await new Promise((resolve) => setImmediate(resolve));
  expect(steps).toEqual([]);
  answer();
  await Promise.all([swept, closed]);
  expect(steps).toEqual(["first", "closed"]);
});
