import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { claimAt, lease, type StoreContext, sampleResult, submitAt, t0 } from "./context.ts";
import { submission } from "./submission.ts";

const reason = "its lease expired";

async function reclaimedAt({ store, setTime }: StoreContext, now: number, working: readonly string[] = []) {
  await setTime(now);
  return store.runs.reclaim(reason, working);
}

/** Cases about lost servers and the runs that they had claimed. */
export const leaseCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "reclaims a run whose lease has expired, unless it was renewed",
    async run(context) {
      const { runs } = context.store;
      const submitted = [await submitAt(context, submission()), await submitAt(context, submission(), t0 + 1)];
      const [kept = "", dropped = ""] = submitted.map(({ run }) => run.id);
      for (const _ of submitted) await claimAt(context, t0 + 1);
      const lostIds = async (now: number) => (await reclaimedAt(context, now)).map(({ run }) => run.id);
      assert.deepEqual(await lostIds(t0 + lease.ms), []);
      assert.deepEqual(await runs.renew(lease, [kept, "run_unknown"]), [kept]);
      assert.deepEqual(await lostIds(t0 + 1 + lease.ms), [dropped]);
      // A server cannot renew the lease of another one, and an ended run has no lease.
      assert.deepEqual(await runs.renew({ ...lease, owner: "another" }, [kept]), []);
      await runs.apply(kept, { type: "canceled" });
      assert.deepEqual(await runs.renew(lease, [kept]), []);
      assert.deepEqual(await lostIds(t0 + 10 * lease.ms), []); // one run waits again, the other has ended
      await claimAt(context, t0 + 10 * lease.ms);
      assert.deepEqual(await lostIds(t0 + 20 * lease.ms), [dropped]);
    },
  },
  {
    name: "does not reclaim a run whose lease has not expired",
    async run(context) {
      const { run } = await submitAt(context, submission());
      await claimAt(context, t0, { owner: "another server", ms: 30_000 });
      assert.deepEqual(await reclaimedAt(context, t0 + 29_999), []);
      assert.equal((await context.store.runs.run(run.id))?.state, "QUERY_STATE_RUNNING");
      assert.equal((await reclaimedAt(context, t0 + 30_000)).length, 1);
    },
  },
  {
    name: "does not reclaim a run that the caller executes, even after its lease has expired",
    async run(context) {
      const { run } = await submitAt(context, submission());
      await claimAt(context, t0);
      assert.deepEqual(await reclaimedAt(context, t0 + 10 * lease.ms, [run.id]), []);
      assert.deepEqual(await context.store.runs.renew(lease, [run.id]), [run.id]);
    },
  },
  {
    name: "queues a lost run again, and fails it after too many losses",
    async run(context) {
      const { run } = await submitAt(context, submission());
      for (const lostWorkers of [1, 2]) {
        await claimAt(context, t0);
        const [reclaimed] = await reclaimedAt(context, t0 + lease.ms);
        assert.deepEqual([reclaimed?.lost.state, reclaimed?.lost.attempt], ["QUERY_STATE_RUNNING", lostWorkers]);
        assert.deepEqual([reclaimed?.run.state, reclaimed?.run.lostWorkers], ["QUERY_STATE_READY", lostWorkers]);
      }
      await claimAt(context, t0);
      const [failed] = await reclaimedAt(context, t0 + lease.ms);
      assert.deepEqual(failed?.run, await context.store.runs.run(run.id));
      assert.deepEqual([failed?.run.state, failed?.run.failure?.name], ["QUERY_STATE_FAILED", "WorkerLost"]);
      assert.match(failed?.run.failure?.message ?? "", /its lease expired/);
    },
  },
  {
    name: "queues a run again that has lost its server, without a lost worker, and fails it after too many in a row",
    async run(context) {
      const { runs } = context.store;
      const { run } = await submitAt(context, submission());
      for (let attempt = 1; attempt <= 4; attempt += 1) {
        await claimAt(context, t0);
        await context.setTime(t0 + lease.ms);
        const [reclaimed] = await runs.reclaim(reason, [], 5);
        assert.deepEqual([reclaimed?.lost.id, reclaimed?.lost.attempt], [run.id, attempt]);
        assert.deepEqual(reclaimed?.run, await runs.run(run.id));
        assert.deepEqual([reclaimed?.run.state, reclaimed?.run.lostWorkers], ["QUERY_STATE_READY", 0]);
      }
      await claimAt(context, t0);
      await context.setTime(t0 + lease.ms);
      const [failed] = await runs.reclaim(reason, [], 5);
      assert.deepEqual(failed?.run, await runs.run(run.id));
      assert.deepEqual([failed?.run.state, failed?.run.failure?.name], ["QUERY_STATE_FAILED", "WorkerLost"]);
    },
  },
  {
    name: "gives a lost run to one of several concurrent callers",
    async run(context) {
      await submitAt(context, submission());
      await claimAt(context, t0);
      const reclaimed = await Promise.all([1, 2, 3].map(() => reclaimedAt(context, t0 + lease.ms)));
      assert.equal(reclaimed.flat().length, 1);
      assert.equal(reclaimed.flat()[0]?.run.lostWorkers, 1);
    },
  },
  {
    name: "refuses changes by a server that has lost the run to another one",
    async run(context) {
      const { runs } = context.store;
      const { run } = await submitAt(context, submission());
      const late = (await claimAt(context, t0))?.run.attempt ?? 0;
      assert.equal(late, 1);
      await runs.apply(run.id, { type: "workerLost", attempt: late, reason });
      const now = (await claimAt(context, t0, { ...lease, owner: "another" }))?.run.attempt ?? 0;
      assert.deepEqual(await runs.renew(lease, [run.id]), []);
      for (const event of [
        { type: "executed", attempt: late },
        { type: "committed", attempt: late, result: sampleResult },
        { type: "failed", attempt: late, failure: { name: "Late", message: "late", data: { category: "USER" } } },
      ] as const) {
        assert.deepEqual(await runs.apply(run.id, event), { accepted: false, refusal: "StaleAttempt" });
      }
      assert.equal((await runs.apply(run.id, { type: "executed", attempt: now }))?.accepted, true);
    },
  },
];
