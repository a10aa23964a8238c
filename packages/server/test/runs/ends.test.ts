import { UnavailableError } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import type { RunRecord } from "@quern/query-run/record";
import { expect, it, vi } from "vitest";
import { createRunChanges } from "../../src/runs/run-changes.ts";
import { createDependencies } from "../scheduler/dependencies.ts";

/** Changes of runs, and the runs whose end or loss they have reported. */
function observed() {
  const { store, submit, clock } = createDependencies(() => {});
  const ended: string[] = [];
  const lost: string[] = [];
  const changes = createRunChanges(
    store,
    ({ id }) => void ended.push(id),
    ({ id }, what) => void lost.push(`${id} ${what}`),
  );
  const claim = () => store.runs.claim({ owner: "server", ms: 0 });
  return { store, submit, changes, ended, lost, claim, clock };
}

const result = { columns: [], rowCount: 0, totalBytes: 0 };
const committed = { type: "committed", attempt: 1, result } as const;

it("tells what each lost run has lost, and the end of those that have lost too much", async () => {
  const { submit, changes, ended, lost, claim } = observed();
  const id = await submit();
  await claim();
  await changes.apply(id, { type: "workerLost", attempt: 1, reason: "test" });
  await claim();
  expect((await changes.reclaim("test", [], 1)).map(({ run }) => run.state)).toEqual(["QUERY_STATE_FAILED"]);
  expect([lost, ended]).toEqual([[`${id} process`, `${id} server`], [id]]);
});

it("tells no end of a run that is queued again, and none of a result that is archived", async () => {
  const { submit, changes, ended, claim } = observed();
  const id = await submit();
  await claim();
  await changes.reclaim("test", []);
  await claim();
  await changes.apply(id, { type: "executed", attempt: 2 });
  expect(await changes.commit(id, { ...committed, attempt: 2 })).toBeUndefined();
  await changes.apply(id, { type: "archived" });
  expect(ended).toEqual([id]);
});

it("tells the end of a run whose last request is withdrawn, and not that of an earlier one", async () => {
  const { store, changes, ended } = observed();
  const first = submission({ reuseKey: "same" });
  const { run, request } = accepted(await store.runs.submit(first));
  const joined = submission({ reuseKey: "same" });
  const second = accepted(
    await store.runs.submit({ ...joined, request: { ...joined.request, maxAgeMinutes: 10 } }),
  ).request;
  const withdraw = (requestId: string) => changes.withdraw({ runId: run.id, requestId, userId: undefined });
  await withdraw(request.id);
  expect(ended).toEqual([]);
  await withdraw(second.id);
  expect(ended).toEqual([run.id]);
  expect(await withdraw("no request")).toBeUndefined();
});

it("takes a commit whose answer was lost for made, and reports the others with their reason", async () => {
  const { submit, changes, ended, claim } = observed();
  const id = await submit();
  await claim();
  await changes.apply(id, { type: "executed", attempt: 1 });
  await changes.commit(id, committed);
  expect(await changes.commit(id, committed)).toBeUndefined();
  expect(ended).toEqual([id, id]);
  expect(await changes.commit(id, { ...committed, attempt: 2 })).toBe("RunEnded");
  expect(await changes.commit("no run", committed)).toBe("StaleAttempt");
  const canceled = await submit();
  await claim();
  await changes.apply(canceled, { type: "canceled" });
  expect(await changes.commit(canceled, committed)).toBe("RunEnded");
  expect(ended).toEqual([id, id, canceled]);
});

const hold = <T>(work: (over: AbortSignal) => Promise<T>) => work(new AbortController().signal);

it("answers with the run as it was if the store is lost during the wait, and reports other errors", async () => {
  const { store, submit } = observed();
  const run = (await store.runs.run(await submit())) as RunRecord;
  const failing = (error: Error) =>
    createRunChanges({ ...store, runs: { ...store.runs, run: () => Promise.reject(error) } });
  const waiting = { hold, endWaits: vi.fn() };
  expect(await failing(new UnavailableError("away")).waitForEnd(run, 5, waiting)).toBe(run);
  await expect(failing(new Error("broken")).waitForEnd(run, 5, waiting)).rejects.toThrow("broken");
  expect(waiting.endWaits).not.toHaveBeenCalled();
});

it("ignores notices of runs that have not ended, and subscribes until it is closed", async () => {
  const { store, submit } = observed();
  const id = await submit();
  const run = (await store.runs.run(id)) as RunRecord;
  let notify = (_: { readonly runId: string; readonly state: RunRecord["state"] }): void => {};
  const unsubscribe = vi.fn();
  const changes = createRunChanges({
    ...store,
    subscribe(listener) {
      notify = listener as typeof notify;
      return unsubscribe;
    },
  });
  let isOver = false;
  const waited = changes.waitForEnd(run, 50, { hold, endWaits() {} }).then(() => {
    isOver = true;
  });
  notify({ runId: id, state: "QUERY_STATE_RUNNING" });
  await new Promise((resolve) => setImmediate(resolve));
  await new Promise((resolve) => setImmediate(resolve));
  expect(isOver).toBe(false);
  expect(unsubscribe).not.toHaveBeenCalled();
  changes.close();
  await waited;
  expect(unsubscribe).toHaveBeenCalledOnce();
});

it("removes the listener of the signal that it added", async () => {
  const { store, submit, changes } = observed();
  const run = (await store.runs.run(await submit())) as RunRecord;
  const { signal } = new AbortController();
  const [add, remove] = [vi.spyOn(signal, "addEventListener"), vi.spyOn(signal, "removeEventListener")];
  const waited = changes.waitForEnd(run, 50, { hold: (work) => work(signal), endWaits() {} });
  await changes.apply(run.id, { type: "canceled" });
  expect((await waited).state).toBe("QUERY_STATE_CANCELED");
  expect(remove.mock.calls).toEqual([["abort", add.mock.calls[0]?.[1]]]);
});
