import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createRunChanges } from "../../src/runs/run-changes.ts";
import { createDependencies } from "../scheduler/dependencies.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Waits until `count` callers wait. The waits of vitest would advance the clock. */
async function begun(waits: number): Promise<void> {
  while (vi.getTimerCount() < waits) await new Promise((resolve) => setImmediate(resolve));
}

/** A run that waits in the queue, and callers who wait for its end. */
async function queued() {
  const deps = createDependencies(() => {});
  const id = await deps.submit();
  const run = await deps.store.runs.run(id);
  if (run === undefined) throw new Error("the run is not there");
  const listeners = { added: 0, removed: 0 };
  /** Waits as a call of an HTTP request does. */
  function wait(waitSeconds: number, caller = new AbortController()) {
    const endWaits = vi.fn();
    const add = vi.spyOn(caller.signal, "addEventListener");
    const remove = vi.spyOn(caller.signal, "removeEventListener");
    const hold = <T>(work: (over: AbortSignal) => Promise<T>): Promise<T> => work(caller.signal);
    const state = deps.changes
      .waitForEnd(run as NonNullable<typeof run>, waitSeconds, { hold, endWaits })
      .then((after) => {
        listeners.added += add.mock.calls.length;
        listeners.removed += remove.mock.calls.length;
        return after.state;
      });
    return { state, endWaits, caller };
  }
  return { ...deps, id, wait, listeners };
}

it("end with the run, for all who wait for it, and leave no timer and no listener", async () => {
  const { changes, id, wait, listeners } = await queued();
  const waits = [wait(50), wait(20)];
  await begun(2);
  await changes.apply(id, { type: "canceled" });
  expect(await Promise.all(waits.map(({ state }) => state))).toEqual(["QUERY_STATE_CANCELED", "QUERY_STATE_CANCELED"]);
  expect(waits.map(({ endWaits }) => endWaits.mock.calls.length)).toEqual([1, 1]);
  expect([vi.getTimerCount(), listeners]).toEqual([0, { added: 2, removed: 2 }]);
});

it("end when their time is over, each with its own, with the run as it is", async () => {
  const { wait } = await queued();
  const short = wait(2);
  const long = wait(3);
  await begun(2);
  vi.advanceTimersByTime(1_999);
  expect(vi.getTimerCount()).toBe(2);
  vi.advanceTimersByTime(1);
  expect(await short.state).toBe("QUERY_STATE_READY");
  expect([short.endWaits.mock.calls.length, vi.getTimerCount()]).toEqual([0, 1]);
  vi.advanceTimersByTime(1_000);
  expect(await long.state).toBe("QUERY_STATE_READY");
});

it("end when the caller is gone, or was before", async () => {
  const { wait } = await queued();
  const { state, caller } = wait(50);
  await begun(1);
  caller.abort();
  expect(await state).toBe("QUERY_STATE_READY");
  expect(await wait(50, caller).state).toBe("QUERY_STATE_READY");
  expect(vi.getTimerCount()).toBe(0);
});

it("end when the server closes, and none begins after", async () => {
  const { changes, wait } = await queued();
  const { state } = wait(50);
  await begun(1);
  changes.close();
  expect(await state).toBe("QUERY_STATE_READY");
  expect(await wait(50).state).toBe("QUERY_STATE_READY");
});

it("are none for who does not want to wait, or for a run that has ended", async () => {
  const { changes, store, id, wait } = await queued();
  expect(await wait(0).state).toBe("QUERY_STATE_READY");
  await changes.apply(id, { type: "canceled" });
  // It had not ended when it was read.
  expect(await wait(50).state).toBe("QUERY_STATE_CANCELED");
  expect([vi.getTimerCount(), await store.runs.run(id)]).toMatchObject([0, { state: "QUERY_STATE_CANCELED" }]);
});

it("give the run as it was where its record is gone meanwhile", async () => {
  const { store, changes, id } = await queued();
  const run = await store.runs.run(id);
  if (run === undefined) throw new Error("the run is not there");
  const forgetful = createRunChanges({ ...store, runs: { ...store.runs, run: async () => undefined } });
  const waiting = {
    hold: <T>(work: (over: AbortSignal) => Promise<T>) => work(new AbortController().signal),
    endWaits() {},
  };
  const waited = forgetful.waitForEnd(run, 1, waiting);
  await begun(1);
  vi.advanceTimersByTime(1_000);
  expect(await waited).toEqual(run);
  changes.close();
});

it("tell each run that ends by this server once, however it ends", async () => {
  const { store, submit } = createDependencies(() => {});
  const ended: string[] = [];
  const changes = createRunChanges(store, ({ id }) => void ended.push(id));
  const id = await submit();
  await changes.apply(id, { type: "canceled" });
  await changes.apply(id, { type: "canceled" });
  await changes.apply("no run", { type: "canceled" });
  expect(ended).toEqual([id]);
});

it("tell each run whose engine or server was lost", async () => {
  const { store, submit } = createDependencies(() => {});
  const lost: string[] = [];
  const changes = createRunChanges(store, undefined, ({ id, lostWorkers }) => void lost.push(`${id} ${lostWorkers}`));
  const id = await submit();
  await store.runs.claim({ owner: "server", ms: 0 });
  await changes.apply(id, { type: "workerLost", attempt: 1, reason: "test" });
  await changes.apply(id, { type: "workerLost", attempt: 1, reason: "test" });
  await store.runs.claim({ owner: "server", ms: 0 });
  await changes.reclaim("test", []);
  expect(lost).toEqual([`${id} 1`, `${id} 2`]);
});

it("end without a notice on a shared store, which is read from time to time", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "setInterval", "clearInterval"] });
  const { store, submit } = createDependencies(() => {});
  const changes = createRunChanges({ ...store, isShared: true, subscribe: () => () => {} });
  const run = await store.runs.run(await submit());
  if (run === undefined) throw new Error("the run is not there");
  let isOver = false;
  const hold = <T>(work: (over: AbortSignal) => Promise<T>) => work(new AbortController().signal);
  const waited = changes.waitForEnd(run, 50, { hold, endWaits() {} }).finally(() => {
    isOver = true;
  });
  await vi.waitUntil(() => vi.getTimerCount() === 2);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(isOver).toBe(false);
  await store.runs.apply(run.id, { type: "canceled" });
  await vi.advanceTimersByTimeAsync(5_000);
  expect((await waited).state).toBe("QUERY_STATE_CANCELED");
  changes.close();
  expect(vi.getTimerCount()).toBe(1); // the timeout of the wait is real
});
