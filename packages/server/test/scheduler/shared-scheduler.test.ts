import { UnavailableError } from "@quern/adapter";
import { beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { createScheduler, type SchedulerOptions } from "../../src/scheduler/scheduler.ts";
import { createDependencies, interrupted } from "./dependencies.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  return () => void vi.useRealTimers();
});

/** Lets the promises in progress and the changes of a store in memory end. */
async function flushPromises(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

async function elapse(ms: number): Promise<void> {
  vi.advanceTimersByTime(ms);
  await flushPromises();
}

/** Scheduler of a server that shares its store, with spies on its calls. Its statements run until they are aborted. */
function createBench(options: Partial<SchedulerOptions> = {}) {
  const stopped: { at: number; reason: unknown }[] = [];
  const deps = createDependencies((_, signal) => {
    signal.addEventListener("abort", () => stopped.push({ at: performance.now(), reason: signal.reason }));
    return interrupted(signal);
  });
  const unsubscribed = vi.fn();
  const store = { ...deps.store, isShared: true, subscribe: () => unsubscribed };
  const calls = {
    claim: vi.spyOn(store.runs, "claim"),
    renew: vi.spyOn(store.runs, "renew"),
    reclaim: vi.spyOn(deps.changes, "reclaim").mockResolvedValue([]),
  };
  const scheduler = createScheduler({ ...deps, store, maxRunningRuns: 2, ...options });
  onTestFinished(() => scheduler.close());
  return { deps, scheduler, stopped, unsubscribed, ...calls };
}

it("reclaims lost runs not before other servers could renew their leases, then at each poll", async () => {
  const { deps, scheduler, reclaim } = createBench();
  const id = await deps.submit();
  await scheduler.start();
  await elapse(9_999);
  expect(reclaim).not.toHaveBeenCalled();
  await elapse(1);
  expect(reclaim.mock.calls).toEqual([["its lease expired", [id], 10]]);
  await elapse(1_999);
  expect(reclaim).toHaveBeenCalledTimes(1);
  await elapse(1);
  expect(reclaim).toHaveBeenCalledTimes(2);
});

it("fails a run after the configured number of lost servers", async () => {
  const { scheduler, reclaim } = createBench({ maxLostServers: 4 });
  await scheduler.start();
  await elapse(10_000);
  expect(reclaim.mock.calls).toEqual([["its lease expired", [], 4]]);
});

it("polls as often as it renews leases that are short", async () => {
  const { scheduler, reclaim } = createBench({ leaseMs: 3_000 });
  await scheduler.start();
  for (const calls of [0, 1, 2]) {
    await elapse(999);
    expect(reclaim).toHaveBeenCalledTimes(calls);
    await elapse(1);
    expect(reclaim).toHaveBeenCalledTimes(calls + 1);
  }
});

it.each(["claim", "renew", "reclaim"] as const)(
  "leaves other servers the time to renew their leases after an outage in which it could not %s",
  async (call) => {
    const bench = createBench();
    const { deps, scheduler, reclaim } = bench;
    await scheduler.start();
    await elapse(18_000);
    bench[call].mockRejectedValueOnce(new Error("the store is away"));
    await elapse(2_000); // polls and renews
    expect(deps.logged).toHaveLength(1);
    reclaim.mockClear();
    await elapse(10_000);
    expect(reclaim).not.toHaveBeenCalled();
    await elapse(2_000);
    expect(reclaim).toHaveBeenCalledTimes(1);
  },
);

it("reclaims once at a time, and again after a failure, which it logs", async () => {
  const { deps, scheduler, reclaim } = createBench();
  await scheduler.start();
  let fail: (error: Error) => void = () => {};
  reclaim.mockReturnValueOnce(
    new Promise((_, reject) => {
      fail = reject;
    }),
  );
  await elapse(10_000);
  await elapse(10_000);
  expect(reclaim).toHaveBeenCalledTimes(1);
  fail(new Error("the statement was too slow"));
  await flushPromises();
  expect(deps.logged).toEqual(["lost runs could not be reclaimed"]);
  await elapse(12_000);
  expect(reclaim).toHaveBeenCalledTimes(2);
});

it("does not claim a run that is being submitted, which another server may store", async () => {
  const { scheduler, claim } = createBench();
  await scheduler.start();
  await flushPromises();
  expect(claim).toHaveBeenCalledTimes(1);
  scheduler.submitting();
  await flushPromises();
  expect(claim).toHaveBeenCalledTimes(1);
});

it("claims a run whose notice was lost at the next poll", async () => {
  const { scheduler, claim } = createBench();
  await scheduler.start();
  await flushPromises();
  await elapse(1_999);
  expect(claim).toHaveBeenCalledTimes(1);
  await elapse(1);
  expect(claim).toHaveBeenCalledTimes(2);
});

it("stops a run a sixth of the lease before its end if the lease is not renewed, and renews it until then", async () => {
  const { deps, scheduler, stopped, renew } = createBench({ owner: "server" });
  const id = await deps.submit();
  await scheduler.start();
  await flushPromises();
  await elapse(10_000);
  expect(renew.mock.calls).toEqual([[{ owner: "server", ms: 30_000 }, [id]]]);
  renew.mockRejectedValue(new Error("the store is away"));
  await elapse(24_999);
  expect(stopped).toEqual([]);
  await elapse(1);
  expect(stopped).toEqual([{ at: 35_000, reason: "lost" }]);
  expect(deps.logged).toEqual(Array(2).fill("leases could not be renewed"));
});

it("keeps the end of a lease that a later renewal has set when an earlier one is answered after it", async () => {
  const { deps, scheduler, stopped, renew } = createBench();
  const id = await deps.submit();
  await scheduler.start();
  await flushPromises();
  let answer: (ids: string[]) => void = () => {};
  renew.mockReturnValueOnce(
    new Promise((resolve) => {
      answer = resolve;
    }),
  );
  await elapse(10_000);
  await elapse(10_000);
  renew.mockRejectedValue(new UnavailableError("The database cannot be reached."));
  answer([id]);
  await flushPromises();
  await elapse(24_000);
  expect(stopped).toEqual([]);
  await elapse(1_000);
  expect(stopped).toEqual([{ at: 45_000, reason: "lost" }]);
});

it("stops its timers on close, and returns a run that is being claimed to the queue", async () => {
  const { deps, scheduler, claim, unsubscribed } = createBench();
  const [claimed, waiting] = [await deps.submit(), await deps.submit()];
  let pass = (): void => {};
  const gate = new Promise<void>((resolve) => {
    pass = resolve;
  });
  claim.mockImplementationOnce(async (lease) => {
    await gate;
    return deps.store.runs.claim(lease);
  });
  await scheduler.start();
  let isClosed = false;
  const closed = scheduler.close().then(() => {
    isClosed = true;
  });
  await flushPromises();
  expect([vi.getTimerCount(), unsubscribed.mock.calls.length, isClosed]).toEqual([0, 1, false]);
  pass();
  await closed;
  const queued = { state: "QUERY_STATE_READY", lostWorkers: 0 };
  expect(await deps.store.runs.run(claimed)).toMatchObject({ ...queued, attempt: 1 });
  expect(await deps.store.runs.run(waiting)).toMatchObject({ ...queued, attempt: 0 });
});
