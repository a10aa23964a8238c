import type { RunRecord } from "@quern/query-run/record";
import { beforeEach, expect, it, vi } from "vitest";
import { createRunChanges } from "../../src/runs/run-changes.ts";
import { createDependencies } from "../scheduler/dependencies.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "setInterval", "clearInterval"] });
  return () => void vi.useRealTimers();
});

/** Lets the promises in progress and the changes of a store in memory end. */
async function flushPromises(): Promise<void> {
  for (let count = 0; count < 10; count += 1) await new Promise((resolve) => setImmediate(resolve));
}

const hold = <T>(work: (over: AbortSignal) => Promise<T>) => work(new AbortController().signal);

/** Call that waits for a run of a shared store without notices. */
async function createBench() {
  const { store, submit } = createDependencies(() => {});
  const run = vi.spyOn(store.runs, "run");
  const changes = createRunChanges({ ...store, isShared: true, subscribe: () => () => {} });
  const first = (await store.runs.run(await submit())) as RunRecord;
  const state = vi.fn();
  void changes.waitForEnd(first, 50, { hold, endWaits() {} }).then((ended) => state(ended.state));
  await flushPromises();
  run.mockClear();
  return { store, changes, run, id: first.id, state };
}

it("reads a run that a call waits for once at a time, and again after a failure", async () => {
  const { store, changes, run, id, state } = await createBench();
  let fail: (error: Error) => void = () => {};
  run.mockReturnValueOnce(
    new Promise((_, reject) => {
      fail = reject;
    }),
  );
  vi.advanceTimersByTime(10_000);
  expect(run.mock.calls).toEqual([[id]]);
  fail(new Error("the store is away"));
  await flushPromises();
  await store.runs.apply(id, { type: "canceled" });
  expect(state).not.toHaveBeenCalled();
  vi.advanceTimersByTime(4_999);
  await flushPromises();
  expect(run).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(1);
  await flushPromises();
  expect(state.mock.calls).toEqual([["QUERY_STATE_CANCELED"]]);
  const before = vi.getTimerCount(); // another file in this process may have left one
  changes.close();
  expect(vi.getTimerCount()).toBe(before - 1);
});

it("reads no run for which no call waits any longer", async () => {
  const { changes, run, state } = await createBench();
  vi.advanceTimersByTime(50_000);
  await flushPromises();
  expect(state.mock.calls).toEqual([["QUERY_STATE_READY"]]);
  run.mockClear();
  vi.advanceTimersByTime(5_000);
  expect(run).not.toHaveBeenCalled();
  changes.close();
});

it("keeps no process alive, and does not poll a store of one server", async () => {
  vi.useRealTimers();
  const set = vi.spyOn(globalThis, "setInterval");
  const { store } = createDependencies(() => {});
  createRunChanges({ ...store, isShared: true }).close();
  expect(set.mock.results.map(({ value }) => value.hasRef())).toEqual([false]);
  createRunChanges(store).close();
  expect(set).toHaveBeenCalledTimes(1);
  set.mockRestore();
});
