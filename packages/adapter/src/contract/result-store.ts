import assert from "node:assert/strict";
import { createRun, type RunRecord } from "@quern/query-run/record";
import type { WrittenResult } from "../result.ts";
import type { ResultStore } from "../result-store.ts";
import type { ContractCase } from "./contract-case.ts";

/** Empty result store, for one case. */
export interface ResultStoreContext {
  readonly store: ResultStore;
  /** Writes a result with one column `n` and these numbers, as an engine delivers it. */
  write(numbers: readonly number[]): Promise<WrittenResult>;
  /** Reads the numbers in the files of an opened result. */
  read(paths: readonly string[]): Promise<readonly number[]>;
  /** Creates a file of a run in the store without a commit, as a write that a crash interrupted leaves it. */
  addOrphan(run: RunRecord): Promise<void>;
  /** Lists the ids of the runs that have files in the store, in ascending order. */
  storedRuns(): Promise<readonly string[]>;
  /** Makes the files of the store unavailable, as an unmounted disk is. */
  makeUnavailable(): Promise<void>;
}

function runOf(id: string, change: Partial<RunRecord> = {}): RunRecord {
  const ids = { id, tenantId: "tenant", userId: "user", sqlStatementId: "statement", dataSourceId: "source" };
  const settings = { reuseKey: id, parameters: null, tags: {}, statementTimeoutSeconds: 60, resultTTLHours: 1 };
  return { ...createRun({ ...ids, ...settings }, 0), attempt: 1, ...change };
}

async function opened({ store }: ResultStoreContext, run: RunRecord) {
  const result = await store.open(run);
  assert.ok(result, `the result of ${run.id} is missing`);
  return result;
}

/** Cases for the behaviour of a result store that the service relies on. Each case needs a store of its own. */
export const resultStoreContract: readonly ContractCase<ResultStoreContext>[] = [
  {
    name: "stores a result under its run and attempt, and returns its columns, rows and size",
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
    name: "rejects a result whose file has another number of rows, and stores no part of it",
    async run({ store, write, storedRuns }) {
      const written = await write([1, 2]);
      await assert.rejects(store.commit(runOf("run_a"), { ...written, rowCount: 3 }), /3 were written/);
      assert.deepEqual(await storedRuns(), []);
    },
  },
  {
    name: "removes a result and no other; a second removal does nothing",
    async run({ store, write, storedRuns }) {
      for (const id of ["run_a", "run_b"]) await store.commit(runOf(id), await write([1]));
      await store.remove(runOf("run_a"));
      await store.remove(runOf("run_a"));
      await store.remove(runOf("run_never"));
      assert.deepEqual(await storedRuns(), ["run_b"]);
    },
  },
  {
    name: "opens a stored result, and returns undefined for a missing one",
    async run(context) {
      const { store, write, storedRuns } = context;
      await store.commit(runOf("run_a"), await write([1]));
      await (await opened(context, runOf("run_a"))).release();
      const second = runOf("run_a", { attempt: 2 });
      assert.equal(await store.open(second), undefined);
      await store.commit(second, await write([2]));
      await store.remove(second);
      assert.equal(await store.open(second), undefined);
      await store.remove(runOf("run_a"));
      assert.equal(await store.open(runOf("run_a")), undefined);
      assert.deepEqual(await storedRuns(), []);
    },
  },
  {
    name: "rejects instead of reporting a missing result while the files are unavailable",
    async run({ store, write, makeUnavailable }) {
      await store.commit(runOf("run_a"), await write([1]));
      await makeUnavailable();
      await assert.rejects(store.open(runOf("run_a")));
    },
  },
  {
    name: "reports with an UnavailableError that the files are unavailable",
    async run({ store, makeUnavailable }) {
      await store.check();
      await makeUnavailable();
      await assert.rejects(store.check(), { name: "UnavailableError" });
    },
  },
  {
    name: "keeps the files of a removed result until its last reader releases it",
    async run(context) {
      const { store, write, read, storedRuns } = context;
      const run = runOf("run_a");
      await store.commit(run, await write([1, 2]));
      const [one, other] = [await opened(context, run), await opened(context, run)];
      await store.remove(run);
      assert.equal(await store.open(run), undefined);
      await one.release();
      await one.release();
      assert.deepEqual(await read(other.paths), [1, 2]);
      await other.release();
      assert.deepEqual(await storedRuns(), []);
    },
  },
  {
    name: "keeps the files of an opened result during a sweep",
    async run(context) {
      const { store, write, read, storedRuns } = context;
      const run = runOf("run_a", { state: "QUERY_STATE_SUCCESS" });
      await store.commit(run, await write([1, 2]));
      const { paths, release } = await opened(context, run);
      await store.sweep(async () => ({ ...run, archivedAt: 1 }));
      assert.deepEqual(await read(paths), [1, 2]);
      await release();
      assert.deepEqual(await storedRuns(), []);
    },
  },
  {
    name: "keeps the results of executing runs during a sweep",
    async run({ store, write, storedRuns }) {
      const states = ["QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS", "QUERY_STATE_READY"] as const;
      const owners = new Map(
        states.map((state) => [`run_${state}`, runOf(`run_${state}`, { state, attempt: 2 })] as const),
      );
      for (const owner of owners.values()) {
        await store.commit({ ...owner, attempt: 1 }, await write([1]));
        await store.commit(owner, await write([2]));
      }
      await store.sweep(async (id) => owners.get(id as `run_${(typeof states)[number]}`)); // ids are made above
      assert.deepEqual(await storedRuns(), ["run_QUERY_STATE_RUNNING", "run_QUERY_STATE_STREAMING_RESULTS"]);
      for (const state of states.slice(0, 2))
        assert.equal(
          await store.open(runOf(`run_${state}`)),
          undefined,
          "the result of an earlier attempt is still stored",
        );
    },
  },
  {
    name: "sweeps orphaned results: of unknown runs, earlier attempts, failed and archived runs, and uncommitted files",
    async run({ store, write, addOrphan, storedRuns }) {
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
      await addOrphan(runOf("run_orphan"));
      await store.sweep(async (id) => owners.get(id));
      assert.deepEqual(await storedRuns(), ["run_kept"]);
    },
  },
];
