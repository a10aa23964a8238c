import assert from "node:assert/strict";
import type { ClaimedRun, Submission } from "../../store/run-store.ts";
import type { ContractCase } from "../contract-case.ts";
import { bytesOf, claimAt, type StoreContext, sampleResult, submitAt, succeedNext, t0 } from "./context.ts";
import { submission } from "./submission.ts";

/** Cases about submissions: they reuse a result, join a run, create a run, or are refused because of a cap. */
export const reuseCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "answers with a result or an unfinished run of the same reuse key",
    async run(context) {
      const { run } = await submitAt(context, submission({ reuseKey: "shared" }));
      const again = (maxAgeMinutes: number, now: number) => {
        const request = { id: `req_${maxAgeMinutes}_${now}`, maxAgeMinutes, resultTTLHours: 5 };
        return submitAt(context, submission({ reuseKey: "shared" }, { request }), now);
      };
      const joined = await again(1, t0);
      assert.deepEqual([joined.request.queryRunId, joined.request.triggeredQueryRun], [run.id, false]);
      assert.equal((await succeedNext(context, t0))?.id, run.id);
      const reused = await again(1, t0 + 60_000);
      assert.deepEqual([reused.run.id, reused.run.resultTTLHours], [run.id, 5]);
      assert.equal((await again(1, t0 + 60_001)).request.triggeredQueryRun, true);
      assert.equal((await again(0, t0)).request.triggeredQueryRun, true);
    },
  },
  {
    name: "answers with an older result whose retention is longer than that of the newest",
    async run(context) {
      const { run: older } = await submitAt(context, submission({ reuseKey: "shared", resultTTLHours: 2 }));
      const { run: newer } = await submitAt(context, submission({ reuseKey: "shared", resultTTLHours: 1 }));
      assert.equal((await succeedNext(context, t0))?.id, older.id);
      assert.equal((await succeedNext(context, t0 + 1))?.id, newer.id);
      const request = { id: "req_again", maxAgeMinutes: 600, resultTTLHours: 1 };
      const again = await submitAt(context, submission({ reuseKey: "shared" }, { request }), t0 + 3_600_001);
      assert.equal(again.run.id, older.id);
    },
  },
  {
    name: "shares one run among concurrent equal submissions",
    async run(context) {
      const shared = (id: string, maxAgeMinutes: number) =>
        submission({ reuseKey: "shared" }, { request: { id, maxAgeMinutes, resultTTLHours: 1 } });
      const ids = ["req_a", "req_b", "req_c"];
      const outcomes = await Promise.all(ids.map((id) => submitAt(context, shared(id, 1))));
      assert.equal(new Set(outcomes.map(({ run }) => run.id)).size, 1);
      assert.deepEqual(
        outcomes.map(({ request }) => request.triggeredQueryRun),
        [true, false, false],
      );
      const own = await submitAt(context, shared("req_own", 0));
      assert.equal(own.request.triggeredQueryRun, true);
      assert.equal((await submitAt(context, shared("req_d", 1))).run.id, outcomes[0]?.run.id);
    },
  },
  {
    name: "refuses a new run above the cap of unfinished runs of its tenant",
    async run(context) {
      const { runs } = context.store;
      const capped = { caps: { maxUnfinishedRuns: 1 } };
      const { run } = await submitAt(context, submission({}, capped));
      assert.deepEqual(await runs.submit(submission({}, capped)), { outcome: "tooManyRuns", count: 1, cap: 1 });
      await submitAt(context, submission({ tenantId: "other" }, capped));
      await runs.apply(run.id, { type: "canceled" });
      await submitAt(context, submission({}, capped));
    },
  },
  {
    name: "refuses a new run above the cap of waiting runs, but no request that joins a run",
    async run(context) {
      const caps = { maxQueuedRuns: 2 };
      const of = (tenantId: string, more: Partial<Submission> = {}) =>
        submission({ tenantId, ...(more.request && { reuseKey: "shared" }) }, { caps, ...more });
      await submitAt(context, submission({ tenantId: "one", reuseKey: "shared" }, { caps }));
      await submitAt(context, of("one"));
      const refused = await context.store.runs.submit(of("one"));
      assert.deepEqual(refused, { outcome: "tooManyRuns", count: 2, cap: 2 });
      const request = { id: "req_joined", maxAgeMinutes: 1, resultTTLHours: 1 };
      assert.equal((await submitAt(context, of("one", { request }))).request.triggeredQueryRun, false);
      await claimAt(context, t0);
      await submitAt(context, of("one"));
    },
  },
  {
    name: "refuses a new run on a full disk, but no request that joins a run",
    async run(context) {
      const caps = { isDiskFull: true };
      const { run } = await submitAt(context, submission({ reuseKey: "shared" }));
      assert.deepEqual(await context.store.runs.submit(submission({}, { caps })), { outcome: "storageFull" });
      const request = { id: "req_joined", maxAgeMinutes: 1, resultTTLHours: 1 };
      const joined = await submitAt(context, submission({ reuseKey: "shared" }, { caps, request }));
      assert.equal(joined.run.id, run.id);
    },
  },
  {
    name: "counts the results of each tenant that are not archived, and refuses a new run at the quota",
    async run(context) {
      const { runs, tenants } = context.store;
      const statement = { id: "st_same", sql: "select 1", statementHash: "same" };
      const bytes = sampleResult.totalBytes;
      const maxStoredBytes = 2 * bytes + bytesOf(statement);
      const capped = { caps: { maxStoredBytes }, statement };
      await submitAt(
        context,
        submission({ tenantId: "other" }, { ...capped, statement: { ...statement, id: "st_o" } }),
      );
      await succeedNext(context, t0);
      const { run: first } = await submitAt(context, submission({}, capped));
      await succeedNext(context, t0);
      await submitAt(context, submission({}, capped));
      await succeedNext(context, t0);
      assert.equal(await tenants.storedBytes("tenant"), maxStoredBytes);
      assert.deepEqual(await runs.submit(submission({}, capped)), {
        outcome: "storageQuotaExceeded",
        storedBytes: maxStoredBytes,
        maxStoredBytes,
      });
      await runs.apply(first.id, { type: "archived" });
      await submitAt(context, submission({}, capped));
      assert.equal(await tenants.storedBytes("unknown"), 0);
      assert.deepEqual(await tenants.allStoredBytes(), [
        { tenantId: "other", bytes: bytes + bytesOf({ ...statement, id: "st_o" }) },
        { tenantId: "tenant", bytes: bytes + bytesOf(statement) },
      ]);
    },
  },
  {
    name: "counts the statements, parameters and tags of a tenant, also of failed runs, until they are purged",
    async run(context) {
      const { runs, tenants } = context.store;
      const day = 86_400_000;
      const stored = () => tenants.storedBytes("tenant");
      const parameters = ["x".repeat(100_000)];
      const tags = { team: "ops" };
      const statement = { id: "st_large", sql: `select '${"y".repeat(10_000)}'`, statementHash: "large" };
      const ofRun = bytesOf(parameters) + bytesOf(tags);
      const failing = () => submission({ parameters, tags }, { statement, caps: { maxStoredBytes: 300_000 } });
      const failure = {
        name: "Conversion",
        message: "no number",
        data: { category: "USER" as const, retryable: false },
      };
      for (const count of [1, 2, 3]) {
        const { run } = await submitAt(context, failing());
        await claimAt(context, t0);
        await runs.apply(run.id, { type: "failed", attempt: 1, failure });
        assert.equal(await stored(), bytesOf(statement) + count * ofRun);
      }
      assert.equal((await runs.submit(failing())).outcome, "storageQuotaExceeded");
      await context.setTime(t0 + 2 * day);
      assert.equal(await runs.purge(day, 2), 2);
      assert.equal(await stored(), bytesOf(statement) + ofRun);
      assert.equal(await runs.purge(day, 9), 1);
      assert.equal(await stored(), 0);
    },
  },
  {
    name: "stores no more results than the quota of the tenant has space for, however many are committed at once",
    async run(context) {
      const { runs, tenants } = context.store;
      const bytes = sampleResult.totalBytes;
      const executed: ClaimedRun[] = [];
      for (let count = 0; count < 8; count += 1) {
        await submitAt(context, submission());
        const claimed = await claimAt(context, t0);
        assert.ok(claimed);
        await runs.apply(claimed.run.id, { type: "executed", attempt: claimed.run.attempt });
        executed.push(claimed);
      }
      const recordBytes = await tenants.storedBytes("tenant");
      const commits = await Promise.all(
        executed.map(({ run: { id, attempt } }) =>
          runs.apply(id, {
            type: "committed",
            attempt,
            result: sampleResult,
            maxStoredBytes: recordBytes + 3 * bytes + 1,
          }),
        ),
      );
      assert.equal(commits.filter((commit) => commit?.accepted).length, 3);
      const refused = commits.find((commit) => !commit?.accepted);
      assert.deepEqual(refused, { accepted: false, refusal: "StorageQuotaExceeded" });
      assert.equal(await tenants.storedBytes("tenant"), recordBytes + 3 * bytes);
      const states = await Promise.all(executed.map(async ({ run }) => (await runs.run(run.id))?.state));
      const expected = commits.map((commit) =>
        commit?.accepted ? "QUERY_STATE_SUCCESS" : "QUERY_STATE_STREAMING_RESULTS",
      );
      assert.deepEqual(states, expected);
    },
  },
  {
    name: "admits the first waiting run of a tenant until twice as many runs wait as the cap allows",
    async run(context) {
      const { runs } = context.store;
      const of = (tenantId: string) => submission({ tenantId }, { caps: { maxQueuedRuns: 2 } });
      for (const tenant of ["busy", "busy", "two", "three"]) await submitAt(context, of(tenant));
      // The refusal reports the number of the tenant's own unfinished runs, not the length of the queue.
      assert.deepEqual(await runs.submit(of("two")), { outcome: "tooManyRuns", count: 1, cap: 1 });
      assert.deepEqual(await runs.submit(of("four")), { outcome: "tooManyRuns", count: 0, cap: 0 });
    },
  },
];
