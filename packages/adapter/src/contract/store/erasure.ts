import assert from "node:assert/strict";
import type { Instant } from "@quern/query-run/record";
import type { ContractCase } from "../contract-case.ts";
import { claimAt, lease, type StoreContext, submitAt, succeedNext, t0 } from "./context.ts";
import { type Accepted, submission } from "./submission.ts";

const ann = { tenantId: "tenant", userId: "ann" };

/** Submits a call that shares the run of the other calls. */
function share(context: StoreContext, userId: string, now: Instant): Promise<Accepted> {
  const request = { id: `req_${userId}`, maxAgeMinutes: 1, resultTTLHours: 1 };
  return submitAt(context, submission({ userId, reuseKey: "same", tags: { by: userId } }, { request }), now);
}

/** Cases about the erasure of a user's records. */
export const erasureCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "erases the runs, requests and statements of a user, and nothing of others",
    async run(context) {
      const { runs } = context.store;
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const first = await submitAt(context, submission({ userId: "ann" }));
      const equal = await submitAt(context, submission({ userId: "ann" }, { statement }));
      const ofBob = await submitAt(context, submission({ userId: "bob" }, { statement }));
      const elsewhere = await submitAt(context, submission({ userId: "ann", tenantId: "other" }));
      await context.store.links.keepView("view", "a name", t0 + 900_000);
      assert.deepEqual(await runs.erase(ann, 10), { runs: 2, executingRuns: 0, sharedRuns: 0, statements: 1 });
      for (const { run, request } of [first, equal]) {
        assert.equal(await runs.run(run.id), undefined);
        assert.equal(await runs.withdraw({ runId: run.id, requestId: request.id, userId: undefined }), undefined);
        assert.equal(await runs.hasRequested("ann", run), false);
      }
      assert.equal(await context.store.links.view("view"), undefined);
      assert.equal(await runs.statement("tenant", first.statement.id), undefined);
      assert.deepEqual(await runs.statement("tenant", "st_a"), statement);
      assert.deepEqual(await runs.run(ofBob.run.id), ofBob.run);
      assert.deepEqual(await runs.run(elsewhere.run.id), elsewhere.run);
      assert.deepEqual(await runs.erase(ann, 10), { runs: 0, executingRuns: 0, sharedRuns: 0, statements: 0 });
    },
  },
  {
    name: "keeps a shared run for the others, under the user and tags of their first request",
    async run(context) {
      const { runs } = context.store;
      const { run, statement } = await share(context, "ann", t0);
      const ofBob = await share(context, "bob", t0 + 1);
      await share(context, "eve", t0 + 2);
      assert.equal(ofBob.run.id, run.id);
      await succeedNext(context, t0 + 3);
      assert.deepEqual(await runs.erase(ann, 10), { runs: 0, executingRuns: 0, sharedRuns: 1, statements: 0 });
      const kept = await runs.run(run.id);
      assert.deepEqual([kept?.userId, kept?.tags, kept?.state], ["bob", { by: "bob" }, "QUERY_STATE_SUCCESS"]);
      assert.deepEqual(await runs.statement("tenant", statement.id), statement);
      assert.deepEqual([await runs.hasRequested("ann", run), await runs.hasRequested("bob", run)], [false, true]);
      const visible = { userId: undefined, sources: null };
      assert.equal((await runs.latestRequest(run.sqlStatementId, visible))?.request.userId, "eve");
      assert.deepEqual(await runs.erase({ ...ann, userId: "bob" }, 10), {
        runs: 0,
        executingRuns: 0,
        sharedRuns: 1,
        statements: 0,
      });
      assert.equal((await runs.run(run.id))?.userId, "eve");
    },
  },
  {
    name: "does not renew the lease of an erased run, and cancels a run that no other user requested",
    async run(context) {
      const { runs } = context.store;
      const { run } = await submitAt(context, submission({ userId: "ann" }));
      const shared = await share(context, "ann", t0 + 1);
      const joined = await share(context, "bob", t0 + 1);
      const requestId = joined.request.id;
      await runs.withdraw({ runId: shared.run.id, requestId, userId: "bob" });
      assert.equal((await claimAt(context, t0 + 2))?.run.id, run.id);
      assert.deepEqual(await runs.erase(ann, 10), { runs: 1, executingRuns: 1, sharedRuns: 1, statements: 1 });
      assert.deepEqual(await runs.renew(lease, [run.id]), []);
      assert.equal(await runs.apply(run.id, { type: "executed", attempt: 1 }), undefined);
      assert.equal((await runs.run(shared.run.id))?.state, "QUERY_STATE_CANCELED");
    },
  },
  {
    name: "erases the idempotency keys of a user, also withdrawn ones",
    async run(context) {
      const { runs, keys } = context.store;
      const rights = { scopes: ["run"], sources: null, origins: null, networks: null, expiresAt: null } as const;
      await keys.add({ id: "key", hash: new Uint8Array([1]), lastFour: "abcd", origin: "issued", ...ann, ...rights });
      const call = (apiKeyId: string, key: string) =>
        submitAt(context, submission({ userId: "ann" }, { idempotency: { apiKeyId, key, bodyHash: "a" } }));
      const first = await call("jwt", "used");
      for (const apiKeyId of ["key", "jwt"])
        assert.equal(await runs.withdrawKey({ apiKeyId, key: "withdrawn" }), undefined);
      assert.equal((await runs.erase(ann, 10)).runs, 1);
      for (const [id, key] of [
        ["jwt", "used"],
        ["key", "withdrawn"],
        ["jwt", "withdrawn"],
      ] as const) {
        const { run, repeated } = await call(id, key);
        assert.deepEqual([run.state, repeated], ["QUERY_STATE_READY", false]);
        assert.notEqual(run.id, first.run.id);
      }
    },
  },
  {
    name: "erases up to a number of runs at a time, and stays usable when it is compacted",
    async run(context) {
      const { runs } = context.store;
      for (let count = 0; count < 5; count += 1) await submitAt(context, submission({ userId: "ann" }));
      const erased: number[] = [];
      for (let batch = 0; batch < 4; batch += 1) erased.push((await runs.erase(ann, 2)).runs);
      assert.deepEqual(erased, [2, 2, 1, 0]);
      await context.store.compact();
      const { run } = await submitAt(context, submission());
      assert.deepEqual(await runs.run(run.id), run);
    },
  },
];
