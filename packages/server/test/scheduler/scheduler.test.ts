import { rm } from "node:fs/promises";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { createScheduler } from "../../src/scheduler/scheduler.ts";
import { createTestClock, temporaryDirectory } from "../fixture.ts";
import { createRoom, type Engine, interrupted, type RoomOptions } from "./room.ts";

/** A scheduler whose statements run until the test ends them, by their order. */
function createBench(maxRunningRuns: number, options: RoomOptions = {}) {
  const ends: (() => void)[] = [];
  const run: Engine = (_, signal) =>
    Promise.race([interrupted(signal), new Promise<void>((resolve) => ends.push(resolve))]);
  const room = createRoom(run, {}, options);
  const scheduler = createScheduler({ ...room, maxRunningRuns });
  return { room, scheduler, ends };
}

/** A run under way, and renewals of its lease when the test says so. */
async function startOnTimers() {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const bench = createBench(1);
  const id = await bench.room.submit();
  await bench.scheduler.start();
  await vi.waitUntil(() => bench.ends.length === 1);
  return { ...bench, id };
}

it("keeps no process alive by the renewal of its leases", async () => {
  const set = vi.spyOn(globalThis, "setInterval");
  onTestFinished(() => set.mockRestore());
  const { scheduler } = createBench(1);
  await scheduler.start();
  expect(set.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  await scheduler.close();
});

it("runs as many at once as it may, the oldest first", async () => {
  const { room, scheduler, ends } = createBench(2);
  const ids = [await room.submit(), await room.submit(), await room.submit()];
  const states = () => Promise.all(ids.map((id) => room.stateOf(id)));
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 2);
  expect(await states()).toEqual(["QUERY_STATE_RUNNING", "QUERY_STATE_RUNNING", "QUERY_STATE_READY"]);

  ends[0]?.();
  await vi.waitUntil(() => ends.length === 3);
  expect(await states()).toEqual(["QUERY_STATE_SUCCESS", "QUERY_STATE_RUNNING", "QUERY_STATE_RUNNING"]);
  await scheduler.close();
});

/** The next server on the store of one that died while it ran a statement, before it starts. */
async function afterDeadServer(engineQueryId?: string) {
  const directory = await temporaryDirectory();
  const file = { path: join(directory, "test.db"), clock: createTestClock() };
  const { submit, store } = createBench(1, file).room;
  const id = await submit();
  await store.runs.claim({ owner: "a dead server", ms: 30_000 });
  if (engineQueryId !== undefined) await store.runs.apply(id, { type: "begun", attempt: 1, engineQueryId });
  await store.close();
  const bench = createBench(1, file);
  onTestFinished(async () => {
    await bench.room.store.close();
    await rm(directory, { recursive: true });
  });
  return { ...bench, id };
}

it("runs again what a dead server left, in another attempt", async () => {
  const { room, scheduler, ends, id } = await afterDeadServer();
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 1);
  expect(await room.store.runs.run(id)).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt: 2, lostWorkers: 1 });
  await scheduler.close();
});

it("cancels on its engine the query that a dead server left running", async () => {
  const { room, scheduler, ends, id } = await afterDeadServer("query_of_before");
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 1);
  expect(room.canceled).toEqual(["query_of_before"]);
  expect(await room.store.runs.run(id)).toMatchObject({ attempt: 2, engineQueryId: null });
  await scheduler.close();
});

it("takes a run that is queued after it was started, and stops one that is canceled, whoever did it", async () => {
  const { room, scheduler, ends } = createBench(1);
  await scheduler.start();
  const [first, second] = [await room.submit(), await room.submit()];
  await vi.waitUntil(() => ends.length === 1);
  await room.store.runs.apply(first, { type: "canceled" });
  await vi.waitUntil(() => ends.length === 2);
  expect(await room.stateOf(first)).toBe("QUERY_STATE_CANCELED");
  expect(await room.stateOf(second)).toBe("QUERY_STATE_RUNNING");
  await scheduler.close();
});

it("gives back what runs when it is closed, and takes no more", async () => {
  const { room, scheduler, ends } = createBench(1);
  await scheduler.start();
  const id = await room.submit();
  await vi.waitUntil(() => ends.length === 1);
  await scheduler.close();
  expect(await room.store.runs.run(id)).toMatchObject({ state: "QUERY_STATE_READY", lostWorkers: 0 });
  const later = await room.submit();
  await scheduler.close();
  expect(await room.stateOf(later)).toBe("QUERY_STATE_READY");
});

it("tells the operator when runs cannot be claimed, and tries again when another is queued", async () => {
  const { room, scheduler, ends } = createBench(1);
  const claim = vi.spyOn(room.store.runs, "claim").mockRejectedValueOnce(new Error("the disk is full"));
  const id = await room.submit();
  await scheduler.start();
  await vi.waitUntil(() => room.told.length === 1);
  expect(room.told).toEqual(["runs could not be claimed"]);
  expect(await room.stateOf(id)).toBe("QUERY_STATE_READY");
  await room.submit();
  await vi.waitUntil(() => ends.length === 1);
  expect(claim).toHaveBeenCalled();
  await scheduler.close();
});

it("renews the leases of what it runs, and stops a run that another server has", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
  onTestFinished(() => void vi.useRealTimers());
  const { room, scheduler, ends } = createBench(2);
  const [kept, taken] = [await room.submit(), await room.submit()];
  await scheduler.start();
  await vi.waitUntil(() => ends.length === 2);

  const renew = vi
    .spyOn(room.store.runs, "renew")
    .mockImplementationOnce(async (_, ids) => ids.filter((id) => id !== taken));
  const aborted = vi.spyOn(AbortController.prototype, "abort");
  room.clock.advance(10_000);
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => aborted.mock.calls.length === 1);
  expect(aborted).toHaveBeenCalledWith("lost");
  expect(renew.mock.calls[0]?.[1]).toEqual([kept, taken]);

  // Renewed in time, a run outlives any number of leases.
  for (let renewals = 2; renewals < 9; renewals += 1) {
    room.clock.advance(10_000);
    vi.advanceTimersByTime(10_000);
    await vi.waitUntil(() => renew.mock.calls.length === renewals);
    await renew.mock.results.at(-1)?.value;
  }
  expect(await room.store.runs.run(kept)).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt: 1, lostWorkers: 0 });
  await scheduler.close();
});

it("loses no run of its own where it is held up after the renewal", async () => {
  const { room, scheduler, id } = await startOnTimers();

  const { renew } = room.store.runs;
  vi.spyOn(room.store.runs, "renew").mockImplementationOnce(async (...lease) => {
    const kept = await renew(...lease);
    room.clock.advance(60_000);
    return kept;
  });
  const reclaim = vi.spyOn(room.store.runs, "reclaim");
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => reclaim.mock.calls.length === 1);
  expect(await reclaim.mock.results[0]?.value).toEqual([]);
  await scheduler.close();
  expect(await room.store.runs.run(id)).toMatchObject({ lostWorkers: 0 });
});

it("queues a run again whose end could not be written, once its lease is over", async () => {
  const { room, scheduler, ends, id } = await startOnTimers();
  const apply = vi.spyOn(room.store.runs, "apply").mockRejectedValue(new Error("the disk is full"));
  ends[0]?.();
  await vi.waitUntil(() => room.told.includes(`run ${id} could not be brought to an end`));
  apply.mockRestore();
  room.clock.advance(30_000);
  vi.advanceTimersByTime(10_000);
  await vi.waitUntil(() => ends.length === 2);
  expect(await room.store.runs.run(id)).toMatchObject({ state: "QUERY_STATE_RUNNING", attempt: 2, lostWorkers: 1 });
  await scheduler.close();
});
