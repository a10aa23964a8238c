import { rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UnavailableError } from "@quern/adapter";
import { expect, it, onTestFinished, vi } from "vitest";
import { createRunChanges } from "../../src/runs/run-changes.ts";
import { createScheduler } from "../../src/scheduler/scheduler.ts";
import { createTestClock, temporaryDirectory } from "../fixture.ts";
import { createFakeOutage } from "../outages.ts";
import { createDependencies, type DependencyOptions, type Engine, interrupted } from "./dependencies.ts";

/** A scheduler whose statements run until the test ends them, by their order. */
function createBench(maxRunningRuns: number, options: DependencyOptions = {}) {
  const ends: (() => void)[] = [];
  const run: Engine = (_, signal) =>
    Promise.race([interrupted(signal), new Promise<void>((resolve) => ends.push(resolve))]);
  const deps = createDependencies(run, {}, options);
  const scheduler = createScheduler({ ...deps, maxRunningRuns });
  return { deps, scheduler, ends };
}

/** Executing run, with renewals of its lease by fake timers. */
async function startOnTimers() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const bench = createBench(1);
  const id = await bench.deps.submit();
  await bench.scheduler.start();
  await vi.waitUntil(() => bench.ends.length === 1);
  return { ...bench, id };
}

it("keeps no process alive by the renewal of its leases", async () => {
  const set = vi.spyOn(globalThis, "setInterval");
  onTestFinished(() => set.mockRestore());
  const { scheduler } = createBench(1);
  await scheduler.start();
  expect(set.mock.results.map(({ value }) => value.hasRef())).toEqual([false, false]);
  await scheduler.close();
});

it("runs as many at once as it may, the oldest first", async () => {
  const { deps, scheduler, ends } = createBench(2);
  const ids = [await deps.submit(), await deps.submit(), await deps.submit()];
  const states = () => Promise.all(ids.map((id) => deps.stateOf(id)));
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 2);
  expect(await states()).toEqual(["QUERY_STATE_RUNNING", "QUERY_STATE_RUNNING", "QUERY_STATE_READY"]);

  ends[0]?.();
  await vi.waitUntil(() => ends.length === 3);
  expect(await states()).toEqual(["QUERY_STATE_SUCCESS", "QUERY_STATE_RUNNING", "QUERY_STATE_RUNNING"]);
  await scheduler.close();
});

it("claims a run by the commit that stores it", async () => {
  const { deps, scheduler } = createBench(1);
  await scheduler.start();
  await sleep(20); // the queue was read
  const submitted = deps.submit();
  scheduler.submitting();
  expect(await deps.stateOf(await submitted)).toBe("QUERY_STATE_RUNNING");
  await scheduler.close();
});

/** The next server on the store of one that died while it ran a statement, before it starts. */
async function afterDeadServer(engineQueryId?: string) {
  const directory = await temporaryDirectory();
  const file = { path: join(directory, "test.db"), clock: createTestClock() };
  const { submit, store } = createBench(1, file).deps;
  const id = await submit();
  await store.runs.claim({ owner: "a dead server", ms: 30_000 });
  if (engineQueryId !== undefined) await store.runs.apply(id, { type: "begun", attempt: 1, engineQueryId });
  await store.close();
  const bench = createBench(1, file);
  onTestFinished(async () => {
    await bench.deps.store.close();
    await rm(directory, { recursive: true });
  });
  return { ...bench, id };
}

it("runs the runs of a dead server again, in another attempt", async () => {
  const { deps, scheduler, ends, id } = await afterDeadServer();
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 1);
  expect(await deps.store.runs.run(id)).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt: 2, lostWorkers: 1 });
  await scheduler.close();
});

it("cancels on its engine the query that a dead server left running", async () => {
  const { deps, scheduler, ends, id } = await afterDeadServer("query_of_before");
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 1);
  expect(deps.canceled).toEqual(["query_of_before"]);
  expect(await deps.store.runs.run(id)).toMatchObject({ attempt: 2, engineQueryId: null });
  await scheduler.close();
});

it("claims a run that is queued after the start, and stops one that another process cancels", async () => {
  const { deps, scheduler, ends } = createBench(1);
  await scheduler.start();
  const [first, second] = [await deps.submit(), await deps.submit()];
  await vi.waitUntil(() => ends.length === 1);
  await deps.store.runs.apply(first, { type: "canceled" });
  await vi.waitUntil(() => ends.length === 2);
  expect(await deps.stateOf(first)).toBe("QUERY_STATE_CANCELED");
  expect(await deps.stateOf(second)).toBe("QUERY_STATE_RUNNING");
  await scheduler.close();
});

it("returns its runs to the queue on close, and claims no more", async () => {
  const { deps, scheduler, ends } = createBench(1);
  await scheduler.start();
  const id = await deps.submit();
  await vi.waitUntil(() => ends.length === 1);
  await scheduler.close();
  expect(await deps.store.runs.run(id)).toMatchObject({ state: "QUERY_STATE_READY", lostWorkers: 0 });
  const later = await deps.submit();
  await scheduler.close();
  expect(await deps.stateOf(later)).toBe("QUERY_STATE_READY");
});

it("logs that runs cannot be claimed, and retries when another one is queued", async () => {
  const { deps, scheduler, ends } = createBench(1);
  const claim = vi.spyOn(deps.store.runs, "claim").mockRejectedValueOnce(new Error("the disk is full"));
  const id = await deps.submit();
  await scheduler.start();
  await vi.waitUntil(() => deps.logged.length === 1);
  expect(deps.logged).toEqual(["runs could not be claimed"]);
  expect(await deps.stateOf(id)).toBe("QUERY_STATE_READY");
  await deps.submit();
  await vi.waitUntil(() => ends.length === 1);
  expect(claim).toHaveBeenCalled();
  await scheduler.close();
});

it("renews the leases of its runs, and stops a run that another server has reclaimed", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { deps, scheduler, ends } = createBench(2);
  const [kept, taken] = [await deps.submit(), await deps.submit()];
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 2);

  const renew = vi
    .spyOn(deps.store.runs, "renew")
    .mockImplementationOnce(async (_, ids) => ids.filter((id) => id !== taken));
  const aborted = vi.spyOn(AbortController.prototype, "abort");
  deps.clock.advance(10_000);
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => aborted.mock.calls.some(([reason]) => reason === "lost"));
  expect(renew.mock.calls[0]?.[1]).toEqual([kept, taken]);

  // Renewed in time, a run outlives any number of leases.
  for (let renewals = 2; renewals < 9; renewals += 1) {
    deps.clock.advance(10_000);
    vi.advanceTimersByTime(10_000);
    await vi.waitUntil(() => renew.mock.calls.length === renewals);
    await renew.mock.results.at(-1)?.value;
  }
  expect(await deps.store.runs.run(kept)).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt: 1, lostWorkers: 0 });
  await scheduler.close();
});

it("renews its leases as soon as the store can be reached again, before the next interval", async () => {
  const { deps, scheduler, ends, id } = await startOnTimers();
  const { renew } = deps.store.runs;
  const renewals = vi.spyOn(deps.store.runs, "renew");
  for (let failures = 0; failures < 3; failures += 1)
    renewals.mockRejectedValueOnce(new UnavailableError("The database cannot be reached."));
  renewals.mockImplementation(renew);
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => renewals.mock.calls.length === 4, { timeout: 10_000 });
  expect(await renewals.mock.results.at(-1)?.value).toEqual([id]);
  ends[0]?.();
  await scheduler.close();
});

it("loses no run of its own where it is held up after the renewal", async () => {
  const { deps, scheduler, id } = await startOnTimers();

  const { renew } = deps.store.runs;
  vi.spyOn(deps.store.runs, "renew").mockImplementationOnce(async (...lease) => {
    const kept = await renew(...lease);
    deps.clock.advance(60_000);
    return kept;
  });
  const reclaim = vi.spyOn(deps.store.runs, "reclaim");
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => reclaim.mock.calls.length === 1);
  expect(await reclaim.mock.results[0]?.value).toEqual([]);
  await scheduler.close();
  expect(await deps.store.runs.run(id)).toMatchObject({ lostWorkers: 0 });
});

it("queues a run again whose end could not be written, once its lease is over", async () => {
  const { deps, scheduler, ends, id } = await startOnTimers();
  const apply = vi.spyOn(deps.store.runs, "apply").mockRejectedValue(new Error("the disk is full"));
  ends[0]?.();
  await vi.waitUntil(() => deps.logged.includes(`the end of run ${id} could not be stored`));
  apply.mockRestore();
  deps.clock.advance(30_000);
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => ends.length === 2);
  expect(await deps.store.runs.run(id)).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt: 2, lostWorkers: 1 });
  await scheduler.close();
});

it("keeps the newer attempt of a run when the one that it lost ends later", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const ends: (() => void)[] = [];
  // The first attempt does not end when it is aborted, like an upload.
  const deps = createDependencies((_, signal) => {
    const end = new Promise<void>((resolve) => ends.push(resolve));
    return ends.length === 1 ? end : Promise.race([interrupted(signal), end]);
  });
  const scheduler = createScheduler({ ...deps, maxRunningRuns: 2 });
  const id = await deps.submit();
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 1);
  const renew = vi.spyOn(deps.store.runs, "renew").mockResolvedValueOnce([]);
  deps.clock.advance(30_000);
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => ends.length === 2);

  ends[0]?.();
  await vi.waitUntil(() => deps.files.includes("remove"));
  await new Promise((resolve) => setImmediate(resolve));
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => renew.mock.calls.length === 2);
  expect(renew.mock.calls[1]?.[1]).toEqual([id]);
  await scheduler.close();
  expect(await deps.store.runs.run(id)).toMatchObject({ state: "QUERY_STATE_READY", attempt: 2 });
});

const hoursMs = 5 * 3_600_000;

it.each([
  ["ahead", hoursMs],
  ["back", -hoursMs],
])(
  "stops a run at the end of its lease, and not before, although the clock of the machine is set %s",
  async (_, stepMs) => {
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance", "Date"] });
    onTestFinished(() => void vi.useRealTimers());
    const times = { begun: 0, stopped: 0 };
    const deps = createDependencies((_, signal) => {
      times.begun = performance.now();
      signal.addEventListener("abort", () => {
        times.stopped = performance.now();
      });
      return interrupted(signal);
    });
    const outage = createFakeOutage({ ...deps.store, isShared: true });
    const changes = createRunChanges(outage.store);
    const scheduler = createScheduler({ ...deps, store: outage.store, changes, maxRunningRuns: 1 });
    await vi.advanceTimersByTimeAsync(1_000);
    await deps.submit();
    await scheduler.start();
    await vi.waitUntil(() => times.begun > 0);
    outage.isAway = true;
    vi.setSystemTime(Date.now() + stepMs);
    // It stops a sixth of the lease early, so that its process has ended when another server claims the run.
    await vi.advanceTimersByTimeAsync(24_000);
    expect(times.stopped).toBe(0);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(times.stopped).toBeGreaterThan(0);
    expect(times.stopped - times.begun).toBeLessThanOrEqual(26_000);
    outage.isAway = false;
    await scheduler.close();
  },
);
