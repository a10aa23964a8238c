import type { RunRecord } from "@quern/query-run/record";
import type { Transition } from "@quern/query-run/transition";
import { afterEach, expect, it, vi } from "vitest";
import { createReaper, type Reaper } from "../../src/scheduler/expired-results.ts";
import { replacePauses, restorePauses } from "../pauses.ts";
import { createDependencies } from "./dependencies.ts";

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

function createBench(sweep: () => Promise<void>) {
  const deps = createDependencies(() => {}, { sweep });
  const expired = vi.spyOn(deps.store.runs, "expired").mockResolvedValue([]);
  vi.spyOn(deps.store.runs, "purge").mockResolvedValue(0);
  return { deps, expired, reaper: createReaper({ ...deps, reader: { sweep: async () => {} }, intervalMs: 60_000 }) };
}

it("sweeps once each interval until it is closed, one sweep at a time", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  const ends: (() => void)[] = [];
  const { reaper } = createBench(() => new Promise((resolve) => ends.push(resolve)));
  vi.advanceTimersByTime(60_000);
  await vi.waitUntil(() => ends.length === 1);
  vi.advanceTimersByTime(60_000);
  const asked = reaper.reap();
  await new Promise((resolve) => setImmediate(resolve));
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
  expect([deps.logged[0], sweeps]).toEqual(["expired results or orphaned files could not be removed", 2]);
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

it("fails with the error of a sweep of the copies", async () => {
  const away = new Error("the disk is away");
  const deps = createDependencies(() => {}, { sweepCache: () => Promise.reject(away) });
  const options = { ...deps, reader: { sweep: async () => {} }, intervalMs: 60_000, isLeader: () => false };
  const reaper = createReaper(options);
  await expect(reaper.sweep()).rejects.toBe(away);
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

it("starts no sweep after close, not even of data sources", async () => {
  const swept: string[] = [];
  const { deps, expired } = createBench(async () => {});
  let removal: (none: RunRecord[]) => void = () => {};
  const listing = new Promise<RunRecord[]>((resolve) => {
    removal = resolve;
  });
  let reaper: Reaper | undefined;
  const sweepSources = async () => void swept.push("sources");
  const sweep = async () => {
    swept.push("results");
    void reaper?.close();
  };
  const parts = { ...deps, results: { ...deps.results, sweep }, reader: { sweep: async () => {} } };
  reaper = createReaper({ ...parts, intervalMs: 60_000, sweepSources });
  await reaper.sweep();
  expect(swept.splice(0)).toEqual(["results"]);
  expired.mockReturnValue(listing);
  reaper = createReaper({ ...parts, intervalMs: 60_000, sweepSources });
  const reaped = reaper.reap();
  const closed = reaper.close();
  removal([]);
  await Promise.all([reaped, closed]);
  expect(swept).toEqual([]);
});

it("removes expired results while a sweep takes long, however many there are", async () => {
  let isSweeping = false;
  const { deps, reaper, expired } = createBench(() => {
    isSweeping = true;
    return new Promise(() => {});
  });
  const archived: string[] = [];
  vi.spyOn(deps.changes, "apply").mockImplementation(async (id, { type }) => {
    archived.push(`${type} ${id}`);
    return { accepted: true } as Transition;
  });
  void reaper.reap();
  await vi.waitUntil(() => isSweeping);
  for (const ids of [["1", "2", "3"], ["4"]])
    expired.mockResolvedValueOnce(ids.map((id) => ({ id })) as unknown as RunRecord[]);
  void reaper.reap();
  await vi.waitUntil(() => deps.files.length === 4);
  expect(archived).toEqual(["archived 1", "archived 2", "archived 3", "archived 4"]);
});

it("lists expired results no more if none of them can be removed", async () => {
  const { deps, reaper, expired } = createBench(async () => {});
  expired.mockResolvedValue([{ id: "1" }] as unknown as RunRecord[]);
  vi.spyOn(deps.changes, "apply").mockResolvedValue(undefined);
  await reaper.reap();
  expect(expired).toHaveBeenCalledTimes(1);
});

it("sweeps the data sources that servers share on the leader only", async () => {
  const deps = createDependencies(() => {});
  const reader = { sweep: async () => {} };
  const swept: string[] = [];
  const reaperOf = (name: string) => {
    const sweepSources = async () => void swept.push(name);
    return createReaper({ ...deps, reader, intervalMs: 60_000, sweepSources, isLeader: () => name === "leader" });
  };
  for (const name of ["follower", "leader"]) {
    const reaper = reaperOf(name);
    await reaper.sweep();
    await reaper.close();
  }
  expect(swept).toEqual(["leader"]);
});

it("pauses between batches of old records in proportion to their time, and deletes no further batch after close", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  const deps = createDependencies(() => {});
  const pauses: number[] = [];
  const left = { runs: 50 };
  let batchMs = 7;
  const purge = vi.spyOn(deps.store.runs, "purge").mockImplementation(async (_, limit) => {
    vi.advanceTimersByTime(batchMs);
    const deleted = Math.min(limit, left.runs);
    left.runs -= deleted;
    return deleted;
  });
  replacePauses(async (ms) => void pauses.push(Number(ms)));
  const reaper = createReaper({ ...deps, reader: { sweep: async () => {} }, intervalMs: 60_000 });
  await reaper.reap();
  expect([left.runs, purge.mock.calls.map(([, limit]) => limit), pauses]).toEqual([0, [20, 20, 20], [28, 28]]);

  left.runs = 50;
  batchMs = 7_000;
  restorePauses();
  const reaped = reaper.reap();
  await vi.waitUntil(() => left.runs === 30);
  await Promise.all([reaper.close(), reaped]);
  expect(left.runs).toBe(30);
});

it("removes expired results while old records are deleted", async () => {
  const { deps, reaper, expired } = createBench(async () => {});
  const purge = vi.spyOn(deps.store.runs, "purge").mockReturnValue(new Promise(() => {}));
  void reaper.reap();
  await vi.waitUntil(() => purge.mock.calls.length === 1);
  void reaper.reap();
  await vi.waitUntil(() => expired.mock.calls.length === 2);
  expect(purge).toHaveBeenCalledTimes(1);
});

it("deletes no old records after close, and logs a deletion that fails once", async () => {
  const { deps, reaper, expired } = createBench(async () => {});
  const purge = vi.spyOn(deps.store.runs, "purge").mockRejectedValue(new Error("the disk is away"));
  await reaper.reap();
  expect(deps.logged).toEqual(["old records could not be deleted"]);
  let removal: (none: RunRecord[]) => void = () => {};
  expired.mockReturnValue(
    new Promise((resolve) => {
      removal = resolve;
    }),
  );
  const reaped = reaper.reap();
  const closed = reaper.close();
  removal([]);
  await Promise.all([reaped, closed]);
  expect([purge.mock.calls.length, deps.logged.length]).toEqual([1, 1]);
});
