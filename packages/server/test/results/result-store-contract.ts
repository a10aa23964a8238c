import type { ResultStore, WrittenResult } from "@quern/adapter";
import { createRun, type RunRecord } from "@quern/query-run/record";
import { expect, it } from "vitest";

export interface StoreUnderTest {
  readonly store: ResultStore;
  /** What an engine leaves for a result of these numbers. */
  write(numbers: readonly number[]): Promise<WrittenResult>;
  /** The numbers that the reader of pages finds at the path of a run. */
  read(path: string): Promise<readonly number[]>;
  /** Leaves something of a run that nobody committed. */
  litter(run: RunRecord): Promise<void>;
  /** Runs of which anything is left. */
  left(): Promise<readonly string[]>;
  /** Makes the place of all results one that is away, as a disk may be for a moment. */
  takeAway(): Promise<void>;
}

function runOf(id: string, change: Partial<RunRecord> = {}): RunRecord {
  const ids = { id, tenantId: "tenant", userId: "user", sqlStatementId: "statement", dataSourceId: "source" };
  const asked = { reuseKey: id, parameters: null, tags: {}, statementTimeoutSeconds: 60, resultTTLHours: 1 };
  return { ...createRun({ ...ids, ...asked }, 0), attempt: 1, ...change };
}

/** What the service relies on, wherever results are kept. */
export function describeResultStore(create: () => Promise<StoreUnderTest>): void {
  it("keeps a result under its run and attempt, and says what it is", async () => {
    const { store, write, read } = await create();
    const written = await write([1, 2, 3]);
    const first = runOf("run_a");
    const kept = await store.commit(first, written);
    expect(kept).toMatchObject({ rowCount: 3, columns: written.columns });
    expect(kept.totalBytes).toBeGreaterThan(0);
    const second = runOf("run_a", { attempt: 2 });
    await store.commit(second, await write([4]));
    expect(await read(store.path(first))).toEqual([1, 2, 3]);
    expect(await read(store.path(second))).toEqual([4]);
  });

  it("refuses a result that has other rows than were written, and keeps nothing of it", async () => {
    const { store, write, left } = await create();
    const written = await write([1, 2]);
    await expect(store.commit(runOf("run_a"), { ...written, rowCount: 3 })).rejects.toThrow("3 were written");
    expect(await left()).toEqual([]);
  });

  it("removes a result, once or again, and no other", async () => {
    const { store, write, left } = await create();
    for (const id of ["run_a", "run_b"]) await store.commit(runOf(id), await write([1]));
    await store.remove(runOf("run_a"));
    await store.remove(runOf("run_a"));
    await store.remove(runOf("run_never"));
    expect(await left()).toEqual(["run_b"]);
  });

  it("tells a result that is there from one that is gone", async () => {
    const { store, write } = await create();
    await store.commit(runOf("run_a"), await write([1]));
    expect(await store.has(runOf("run_a"))).toBe(true);
    expect(await store.has(runOf("run_a", { attempt: 2 }))).toBe(false);
  });

  it("takes no result for gone while their place is away", async () => {
    const { store, write, takeAway } = await create();
    await store.commit(runOf("run_a"), await write([1]));
    await takeAway();
    await expect(store.has(runOf("run_a"))).rejects.toThrow();
  });

  it("sweeps nothing of a run that is writing its result", async () => {
    const { store, write, left } = await create();
    const states = ["QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS", "QUERY_STATE_READY"] as const;
    const owners = new Map(states.map((state) => [state, runOf(`run_${state}`, { state, attempt: 2 })]));
    for (const owner of owners.values()) {
      await store.commit({ ...owner, attempt: 1 }, await write([1]));
      await store.commit(owner, await write([2]));
    }
    await store.sweep(async (id) => owners.get(id.slice(4) as (typeof states)[number])); // ids are made above
    expect(await left()).toEqual(["run_QUERY_STATE_RUNNING", "run_QUERY_STATE_STREAMING_RESULTS"]);
  });

  it("sweeps what no run owns: unknown runs, earlier attempts, failures, archived results, and litter", async () => {
    const { store, write, litter, left } = await create();
    const ended = { state: "QUERY_STATE_SUCCESS" } as const;
    const owners = new Map(
      [
        runOf("run_kept", { ...ended, attempt: 2 }),
        runOf("run_failed", { state: "QUERY_STATE_FAILED" }),
        runOf("run_archived", { ...ended, archivedAt: 1 }),
        runOf("run_earlier", { ...ended, attempt: 2 }),
      ].map((run) => [run.id, run]),
    );
    await store.commit(runOf("run_kept", { attempt: 2 }), await write([1]));
    for (const id of ["run_failed", "run_archived", "run_earlier", "run_unknown"])
      await store.commit(runOf(id), await write([1]));
    await litter(runOf("run_litter"));
    await store.sweep(async (id) => owners.get(id));
    expect(await left()).toEqual(["run_kept"]);
  });
}
