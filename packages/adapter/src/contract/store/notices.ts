import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { claimAt, lease, type StoreContext, submitAt, succeedNext, t0 } from "./context.ts";
import { listen } from "./listener.ts";
import { submission } from "./submission.ts";

/** Cases about notices to subscribers. */
export const noticeCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "notifies once each time a run is queued or ends, after the change is durable",
    async run(context) {
      const { runs } = context.store;
      const { next, notices, end } = listen(context.store);
      const first = (await submitAt(context, submission({ reuseKey: "shared" }))).run.id;
      assert.deepEqual(await next(), { runId: first, state: "QUERY_STATE_READY" });
      await claimAt(context, t0);
      await runs.apply(first, { type: "released", attempt: 1 });
      assert.deepEqual(await next(), { runId: first, state: "QUERY_STATE_READY" });
      await succeedNext(context, t0);
      assert.deepEqual(await next(), { runId: first, state: "QUERY_STATE_SUCCESS" });
      // Reuse and expiry of a result cause no notice, since the run ended before.
      const request = { id: "req_again", maxAgeMinutes: 9, resultTTLHours: 9 };
      await submitAt(context, submission({ reuseKey: "shared" }, { request }));
      await runs.apply(first, { type: "archived" });
      const { run, request: own } = await submitAt(context, submission());
      assert.deepEqual(await next(), { runId: run.id, state: "QUERY_STATE_READY" });
      await runs.withdraw({ runId: run.id, requestId: own.id, userId: undefined });
      assert.deepEqual(await next(), { runId: run.id, state: "QUERY_STATE_CANCELED" });
      assert.equal((await runs.run(run.id))?.state, "QUERY_STATE_CANCELED");
      assert.deepEqual(notices, []);
      end();
    },
  },
  {
    name: "notifies of reclaimed runs",
    async run(context) {
      const { run } = await submitAt(context, submission());
      await claimAt(context, t0);
      const { next, end } = listen(context.store);
      await context.setTime(t0 + lease.ms);
      await context.store.runs.reclaim("its lease expired", []);
      assert.deepEqual(await next(), { runId: run.id, state: "QUERY_STATE_READY" });
      end();
    },
  },
  {
    name: "notifies each subscriber until its subscription ends",
    async run(context) {
      const [one, other] = [listen(context.store), listen(context.store)];
      const first = (await submitAt(context, submission())).run.id;
      for (const { next } of [one, other]) assert.equal((await next()).runId, first);
      one.end();
      const second = (await submitAt(context, submission())).run.id;
      assert.equal((await other.next()).runId, second);
      assert.deepEqual(one.notices, []);
      other.end();
    },
  },
];
