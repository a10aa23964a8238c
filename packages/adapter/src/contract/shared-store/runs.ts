import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { claimAt, lease, sampleResult, submitAt, t0 } from "../store/context.ts";
import { listen } from "../store/listener.ts";
import { accepted, submission } from "../store/submission.ts";
import type { SharedStoreContext } from "./context.ts";

/** Cases about runs that one server accepts and another one executes, cancels or waits for. */
export const sharedRunCases: readonly ContractCase<SharedStoreContext>[] = [
  {
    name: "gives each run to one of the servers that claim at the same time",
    async run(context) {
      const submitted: string[] = [];
      for (let run = 0; run < 20; run += 1)
        submitted.push((await submitAt(context, submission({ tenantId: `tenant ${run % 4}` }))).run.id);
      const claimed: string[] = [];
      // A claim may find all tenants locked by others, so each server claims until the queue is empty for it twice.
      const serve = async ({ runs }: SharedStoreContext["store"], owner: string): Promise<void> => {
        for (let misses = 0; misses < 2; ) {
          const next = await runs.claim({ owner, ms: 30_000 });
          if (next === undefined) misses += 1;
          else claimed.push(next.run.id);
        }
      };
      await Promise.all([
        serve(context.store, "one"),
        serve(context.another, "other"),
        serve(context.store, "one"),
        serve(context.another, "other"),
      ]);
      assert.deepEqual(claimed.toSorted(), submitted.toSorted());
    },
  },
  {
    name: "answers concurrent calls with one idempotency key on several servers with one run",
    async run({ store, another, setTime }) {
      await setTime(t0);
      const idempotency = { apiKeyId: "key", key: "once", bodyHash: "same" };
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, call) =>
          (call % 2 === 0 ? store : another).runs.submit(submission({}, { idempotency })),
        ),
      );
      assert.equal(new Set(outcomes.map((outcome) => accepted(outcome).run.id)).size, 1);
      assert.equal(outcomes.filter((outcome) => !accepted(outcome).repeated).length, 1);
    },
  },
  {
    name: "shares one run among concurrent calls for the same result on several servers",
    async run({ store, another, setTime }) {
      await setTime(t0);
      const outcomes = await Promise.all(
        Array.from({ length: 12 }, (_, call) =>
          (call % 2 === 0 ? store : another).runs.submit(
            submission({ reuseKey: "shared" }, { request: { id: `req_${call}`, maxAgeMinutes: 5, resultTTLHours: 1 } }),
          ),
        ),
      );
      assert.equal(new Set(outcomes.map((outcome) => accepted(outcome).run.id)).size, 1);
    },
  },
  {
    name: "notifies the subscribers of a server of runs that another one queues, cancels and ends",
    async run(context) {
      const { store, another } = context;
      const { untilNotified, end } = listen(store);
      await context.setTime(t0);
      const { run } = accepted(await another.runs.submit(submission()));
      await untilNotified({ runId: run.id, state: "QUERY_STATE_READY" });
      assert.equal((await claimAt(context, t0))?.run.id, run.id);
      await another.runs.apply(run.id, { type: "canceled" });
      await untilNotified({ runId: run.id, state: "QUERY_STATE_CANCELED" });
      assert.equal((await store.runs.run(run.id))?.state, "QUERY_STATE_CANCELED");
      const second = accepted(await store.runs.submit(submission())).run;
      await another.runs.claim(lease);
      await another.runs.apply(second.id, { type: "executed", attempt: 1 });
      await another.runs.apply(second.id, { type: "committed", attempt: 1, result: sampleResult });
      await untilNotified({ runId: second.id, state: "QUERY_STATE_SUCCESS" });
      end();
    },
  },
  {
    name: "gives the lost runs of a server to one other server, and refuses the late changes of the first one",
    async run(context) {
      const { store, another } = context;
      const { run } = await submitAt(context, submission());
      await claimAt(context, t0);
      await context.setTime(t0 + lease.ms);
      const reclaims = [store, another, store, another].map(({ runs }) => runs.reclaim("its lease expired", [], 10));
      assert.deepEqual(
        (await Promise.all(reclaims)).flat().map(({ lost }) => lost.id),
        [run.id],
      );
      assert.equal((await another.runs.claim({ ...lease, owner: "another server" }))?.run.attempt, 2);
      assert.deepEqual(await store.runs.renew(lease, [run.id]), []);
      const late = await store.runs.apply(run.id, { type: "executed", attempt: 1 });
      assert.deepEqual(late, { accepted: false, refusal: "StaleAttempt" });
      assert.equal((await another.runs.apply(run.id, { type: "executed", attempt: 2 }))?.accepted, true);
    },
  },
];
