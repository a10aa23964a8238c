import assert from "node:assert/strict";
import { createRun, type RunRecord } from "@quern/query-run/record";
import type { WrittenResult } from "../result.ts";
import type { ResultStore } from "../result-store.ts";
import type { ContractCase } from "./contract-case.ts";

/** Result store for one case: it is empty. */
export interface ResultStoreContext {
  readonly store: ResultStore;
  /** Writes what an engine leaves for a result of one column `n` with these numbers. */
  write(numbers: readonly number[]): Promise<WrittenResult>;
  /** Reads the numbers in the files of an opened result. */
  read(paths: readonly string[]): Promise<readonly number[]>;
  /** Leaves something of a run that nobody committed. */
  litter(run: RunRecord): Promise<void>;
  /** Lists the runs of which anything is left, in the order of their ids. */
  left(): Promise<readonly string[]>;
  /** Makes the place of all results one that is away, as a disk may be for a moment. */
  takeAway(): Promise<void>;
}

function runOf(id: string, change: Partial<RunRecord> = {}): RunRecord {
  const ids = { id, tenantId: "tenant", userId: "user", sqlStatementId: "statement", dataSourceId: "source" };
  const asked = { reuseKey: id, parameters: null, tags: {}, statementTimeoutSeconds: 60, resultTTLHours: 1 };
  return { ...createRun({ ...ids, ...asked }, 0), attempt: 1, ...change };
}

async function opened({ store }: ResultStoreContext, run: RunRecord) {
  const result = await store.open(run);
  assert.ok(result, `the result of ${run.id} is gone`);
  return result;
}

/** What the service relies on, wherever results are kept. */
export const resultStoreContract: readonly ContractCase<ResultStoreContext>[] = [
  {
    name: "keeps a result under its run and attempt, and says what it is",
    async run(context) {
      const { store, write, read } = context;
      const written = await write([1, 2, 3]);
      const first = runOf("run_a");
      const kept = await store.commit(first, written);
      assert.deepEqual([kept.rowCount, kept.columns], [3, written.columns]);
      assert.ok(kept.totalBytes > 0);
      const second = runOf("run_a", { attempt: 2 });
      await store.commit(second, await write([4]));
      const results = [await opened(context, first), await opened(context, second)];
      assert.deepEqual(await read(results[0]?.paths ?? []), [1, 2, 3]);
      assert.deepEqual(await read(results[1]?.paths ?? []), [4]);
      for (const { release } of results) await release();
    },
  },
  {
    name: "refuses a result that has other rows than were written, and keeps nothing of it",
    async run({ store, write, left }) {
      const written = await write([1, 2]);
      await assert.rejects(store.commit(runOf("run_a"), { ...written, rowCount: 3 }), /3 were written/);
      assert.deepEqual(await left(), []);
    },
  },
  {
    name: "removes a result, once or again, and no other",
    async run({ store, write, left }) {
      for (const id of ["run_a", "run_b"]) await store.commit(runOf(id), await write([1]));
      await store.remove(runOf("run_a"));
      await store.remove(runOf("run_a"));
      await store.remove(runOf("run_never"));
      assert.deepEqual(await left(), ["run_b"]);
    },
  },
  {
    name: "tells a result that is there from one that is gone",
    async run(context) {
      const { store, write, left } = context;
      await store.commit(runOf("run_a"), await write([1]));
      await (await opened(context, runOf("run_a"))).release();
      const second = runOf("run_a", { attempt: 2 });
      assert.equal(await store.open(second), undefined);
      await store.commit(second, await write([2]));
      await store.remove(second);
      assert.equal(await store.open(second), undefined);
      await store.remove(runOf("run_a"));
      assert.equal(await store.open(runOf("run_a")), undefined);
      assert.deepEqual(await left(), []);
    },
  },
  {
    name: "takes no result for gone while their place is away",
    async run({ store, write, takeAway }) {
      await store.commit(runOf("run_a"), await write([1]));
      await takeAway();
      await assert.rejects(store.open(runOf("run_a")));
    },
  },
  {
    name: "keeps the files of a result that is open until the last has released it, though it is removed",
    async run(context) {
      const { store, write, read, left } = context;
      const run = runOf("run_a");
      await store.commit(run, await write([1, 2]));
      const [one, other] = [await opened(context, run), await opened(context, run)];
      await store.remove(run);
      assert.equal(await store.open(run), undefined);
      await one.release();
      await one.release();
      assert.deepEqual(await read(other.paths), [1, 2]);
      await other.release();
      assert.deepEqual(await left(), []);
    },
  },
  {
    name: "keeps the files of a result that is open while it sweeps",
    async run(context) {
      const { store, write, read, left } = context;
      const run = runOf("run_a", { state: "QUERY_STATE_SUCCESS" });
      await store.commit(run, await write([1, 2]));
      const { paths, release } = await opened(context, run);
      await store.sweep(async () => ({ ...run, archivedAt: 1 }));
      assert.deepEqual(await read(paths), [1, 2]);
      await release();
      assert.deepEqual(await left(), []);
    },
  },
  {
    name: "sweeps nothing of a run that is writing its result",
    async run({ store, write, left }) {
      const states = ["QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS", "QUERY_STATE_READY"] as const;
      const owners = new Map(
        states.map((state) => [`run_${state}`, runOf(`run_${state}`, { state, attempt: 2 })] as const),
      );
      for (const owner of owners.values()) {
        await store.commit({ ...owner, attempt: 1 }, await write([1]));
        await store.commit(owner, await write([2]));
      }
      await store.sweep(async (id) => owners.get(id as `run_${(typeof states)[number]}`)); // ids are made above
      assert.deepEqual(await left(), ["run_QUERY_STATE_RUNNING", "run_QUERY_STATE_STREAMING_RESULTS"]);
      for (const state of states.slice(0, 2))
        assert.equal(await store.open(runOf(`run_${state}`)), undefined, "an earlier attempt is left");
    },
  },
  {
    name: "sweeps what no run owns: unknown runs, earlier attempts, failures, archived results, and litter",
    async run({ store, write, litter, left }) {
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
      assert.deepEqual(await left(), ["run_kept"]);
    },
  },
];
