import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { type StoreContext, sampleResult, submitAt, succeedNext, t0 } from "./context.ts";
import { submission } from "./submission.ts";

const all = { userId: undefined, sources: null };

/** Cases about the records of runs, requests and statements, and their retention. */
export const recordCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "returns stored runs, requests and statements unchanged",
    async run(context) {
      const { runs } = context.store;
      const tags = { ["__proto__"]: "x", none: null };
      const { run, request, statement } = await submitAt(context, submission({ tags, parameters: { a: 1 } }));
      assert.deepEqual(await runs.run(run.id), run);
      assert.equal(JSON.stringify(run.tags), JSON.stringify(tags));
      assert.deepEqual(
        [request.queryRunId, request.triggeredQueryRun, request.sqlStatementId],
        [run.id, true, statement.id],
      );
      assert.deepEqual(await runs.statement("tenant", statement.id), statement);
      assert.deepEqual(await runs.latestRequest(statement.id, all), { request, run });
      assert.equal(await runs.statement("another", statement.id), undefined);
      assert.equal(await runs.run("run_unknown"), undefined);
    },
  },
  {
    name: "stores equal statements of a tenant once",
    async run(context) {
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const first = await submitAt(context, submission({}, { statement }));
      const second = await submitAt(context, submission({}, { statement: { ...statement, id: "st_b" } }));
      assert.deepEqual(second.statement, first.statement);
      assert.equal(second.run.sqlStatementId, "st_a");
      const ofOther = submission({ tenantId: "other" }, { statement: { ...statement, id: "st_c" } });
      assert.equal((await submitAt(context, ofOther)).statement.id, "st_c");
    },
  },
  {
    name: "applies valid transitions and refuses invalid ones",
    async run(context) {
      const { runs } = context.store;
      const { run } = await submitAt(context, submission());
      assert.equal((await succeedNext(context, t0 + 5))?.id, run.id);
      await context.setTime(t0);
      assert.deepEqual(await runs.apply(run.id, { type: "canceled" }), { accepted: false, refusal: "RunEnded" });
      assert.equal(await runs.apply("run_unknown", { type: "canceled" }), undefined);
      assert.deepEqual((await runs.latestRequest(run.sqlStatementId, all))?.run.result, sampleResult);
    },
  },
  {
    name: "finds the latest request for a statement whose run has a result",
    async run(context) {
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const request = (now: number) => submitAt(context, submission({}, { statement }), now);
      const { run } = await request(t0);
      await request(t0 + 1);
      assert.equal((await succeedNext(context, t0 + 5))?.id, run.id);
      await request(t0 + 6);
      assert.equal((await context.store.runs.latestRequest(statement.id, all))?.run.id, run.id);
    },
  },
  {
    name: "finds the results that have expired and are not archived",
    async run(context) {
      const { runs } = context.store;
      const expiredAt = async (now: number) => {
        await context.setTime(now);
        return (await runs.expired()).map(({ id }) => id);
      };
      const { run } = await submitAt(context, submission());
      await succeedNext(context, t0);
      assert.deepEqual(await expiredAt(t0 + 3_599_999), []);
      assert.deepEqual(await expiredAt(t0 + 3_600_000), [run.id]);
      await runs.apply(run.id, { type: "archived" });
      assert.deepEqual(await expiredAt(t0 + 3_600_000), []);
    },
  },
  {
    name: "purges a run with its requests, and a statement with its last run",
    async run(context) {
      const { runs } = context.store;
      /** Purges the runs that ended before a time. */
      const purge = async (endedBefore: number, limit: number) => {
        await context.setTime(endedBefore + 7);
        return runs.purge(7, limit);
      };
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const first = await submitAt(context, submission({}, { statement }));
      const idempotency = { apiKeyId: "key", key: "k", bodyHash: "a" };
      const second = await submitAt(context, submission({}, { statement, idempotency }), t0 + 1);
      assert.equal((await succeedNext(context, t0))?.id, first.run.id);
      await context.setTime(t0 + 10);
      await runs.apply(second.run.id, { type: "canceled" });
      assert.equal(await purge(t0 + 1, 10), 0); // its result is not archived
      await context.setTime(t0 + 3_600_000);
      await runs.apply(first.run.id, { type: "archived" });
      assert.equal(await purge(t0, 10), 0);
      assert.equal(await purge(t0 + 11, 1), 1);
      assert.equal(await runs.run(first.run.id), undefined);
      assert.equal(await runs.hasRequested("user", first.run), false);
      assert.notEqual(await runs.statement("tenant", "st_a"), undefined);
      assert.equal(await purge(t0 + 11, 1), 1);
      assert.equal(await runs.statement("tenant", "st_a"), undefined);
      const again = await submitAt(context, submission({}, { statement, idempotency }), t0 + 20);
      assert.notEqual(again.request.id, second.request.id);
      assert.equal(await purge(t0 + 1e12, 10), 0); // it has not ended
    },
  },
];
