import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { claimAt, type StoreContext, submitAt, t0 } from "./context.ts";
import { submission } from "./submission.ts";

const day = 86_400_000;

/** Cases about repeated calls and withdrawn requests. */
export const requestCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "recognizes a repeated call by its idempotency key for a day",
    async run(context) {
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      const first = await submitAt(context, submission({}, { idempotency }));
      const second = await submitAt(context, submission({}, { idempotency }), t0 + day - 1);
      assert.deepEqual(second.request, first.request);
      assert.deepEqual([first.repeated, second.repeated], [false, true]);
      await context.setTime(t0);
      const changed = submission({}, { idempotency: { ...idempotency, bodyHash: "b" } });
      assert.deepEqual(await context.store.runs.submit(changed), { outcome: "idempotencyMismatch" });
      const ofAnother = await submitAt(context, submission({}, { idempotency: { ...idempotency, apiKeyId: "other" } }));
      assert.notEqual(ofAnother.request.id, first.request.id);
      const later = await submitAt(context, submission({}, { idempotency }), t0 + day);
      assert.notEqual(later.request.id, first.request.id);
    },
  },
  {
    name: "cancels a run when its last request is withdrawn, so that the next request gets a new run",
    async run(context) {
      const { runs } = context.store;
      const { run, request } = await submitAt(context, submission({ reuseKey: "shared" }));
      const join = (id: string) => {
        const joined = { id, maxAgeMinutes: 1, resultTTLHours: 1 };
        return submitAt(context, submission({ reuseKey: "shared" }, { request: joined }));
      };
      assert.equal((await join("req_joined")).run.id, run.id);
      for (const _ of [1, 2]) {
        const one = await runs.withdraw({ runId: run.id, requestId: request.id, userId: "user" });
        assert.ok(one?.accepted);
        assert.deepEqual([one.run.state, one.ended], ["QUERY_STATE_READY", false]);
      }
      const last = await runs.withdraw({ runId: run.id, requestId: "req_joined", userId: undefined });
      assert.ok(last?.accepted);
      assert.deepEqual([last.run.state, last.ended], ["QUERY_STATE_CANCELED", true]);
      const again = await runs.withdraw({ runId: run.id, requestId: "req_joined", userId: undefined });
      assert.deepEqual(again, { accepted: false, refusal: "RunEnded" });
      for (const [runId, requestId] of [
        [run.id, "req_unknown"],
        ["run_unknown", request.id],
      ] as const)
        assert.equal(await runs.withdraw({ runId, requestId, userId: undefined }), undefined);
      assert.notEqual((await join("req_later")).run.id, run.id);
    },
  },
  {
    name: "reports to only one of several equal withdrawals that it ended the run",
    async run(context) {
      const { run, request } = await submitAt(context, submission());
      const withdrawn = { runId: run.id, requestId: request.id, userId: "user" };
      const outcomes = await Promise.all([1, 2, 3].map(() => context.store.runs.withdraw(withdrawn)));
      assert.equal(outcomes.filter((outcome) => outcome?.accepted === true && outcome.ended).length, 1);
    },
  },
  {
    name: "returns the request of a withdrawn key",
    async run(context) {
      const { runs } = context.store;
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      const { request } = await submitAt(context, submission({}, { idempotency }));
      await context.setTime(t0 + day - 1);
      assert.deepEqual(await runs.withdrawKey({ apiKeyId: "key", key: "k" }), request);
      await context.setTime(t0);
      assert.equal(await runs.withdrawKey({ apiKeyId: "another", key: "k" }), undefined);
    },
  },
  {
    name: "remembers for a day a key that is withdrawn before its call arrives, and runs nothing for that call",
    async run(context) {
      const submissionOf = (apiKeyId: string, key: string, more: object = {}) =>
        submission({ reuseKey: "shared" }, { idempotency: { apiKeyId, key, bodyHash: "a" }, ...more });
      await context.setTime(t0);
      for (const key of ["a", "b"])
        assert.equal(await context.store.runs.withdrawKey({ apiKeyId: "key", key }), undefined);
      // Caps do not apply to a run that never executes, and it joins no other run.
      const full = { caps: { maxUnfinishedRuns: 0 } };
      const late = await submitAt(context, submissionOf("key", "a", full), t0 + day - 1);
      assert.deepEqual([late.run.state, late.run.attempt], ["QUERY_STATE_CANCELED", 0]);
      const again = await submitAt(context, submissionOf("key", "a", full), t0 + day - 1);
      assert.deepEqual([again.repeated, again.run.id, again.run.state], [true, late.run.id, "QUERY_STATE_CANCELED"]);
      assert.equal(await claimAt(context, t0 + day - 1), undefined);
      for (const other of [submissionOf("key", "c"), submissionOf("another", "a"), submission({ reuseKey: "shared" })])
        assert.equal((await submitAt(context, other)).run.state, "QUERY_STATE_READY");
      assert.equal((await submitAt(context, submissionOf("key", "b"), t0 + day)).run.state, "QUERY_STATE_READY");
    },
  },
];
