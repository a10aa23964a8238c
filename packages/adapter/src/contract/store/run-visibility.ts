import assert from "node:assert/strict";
import type { RunPage } from "../../store/run-store.ts";
import type { ContractCase } from "../contract-case.ts";
import { allRuns, type StoreContext, submitAt, t0 } from "./context.ts";
import { submission } from "./submission.ts";

/** Returns the ids of the runs of a page. */
function idsOf({ json }: RunPage): readonly string[] {
  const runs: readonly { readonly id: string }[] = JSON.parse(new TextDecoder().decode(json));
  return runs.map(({ id }) => id);
}

/** Cases about the runs and requests that a user can see. */
export const visibilityCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "does not withdraw the request of another user",
    async run(context) {
      const { runs } = context.store;
      const { run, request } = await submitAt(context, submission());
      const withdrawn = await runs.withdraw({ runId: run.id, requestId: request.id, userId: "another" });
      assert.equal(withdrawn, undefined);
      assert.deepEqual(await runs.run(run.id), run);
    },
  },
  {
    name: "lists the runs that a user requested, also shared ones, once and in order",
    async run(context) {
      const { runs } = context.store;
      const submissionOf = (userId: string, reuseKey: string, tenantId = "tenant") =>
        submission({ userId, reuseKey, tenantId });
      const join = (userId: string, reuseKey: string, id: string) => {
        const request = { id, maxAgeMinutes: 1, resultTTLHours: 1 };
        return submission({ userId, reuseKey }, { request });
      };
      const first = await submitAt(context, submissionOf("ann", "a"));
      const shared = await submitAt(context, submissionOf("ann", "b"), t0 + 1);
      const last = await submitAt(context, submissionOf("bob", "c"), t0 + 2);
      await submitAt(context, submissionOf("bob", "d", "other"), t0 + 2);
      for (const id of ["req_x", "req_y"]) await submitAt(context, join("bob", "b", id), t0 + 3);
      const page = (userId: string | undefined, more: object = {}) =>
        runs.list({ ...allRuns, userId, ...more }, t0, {});
      const list = async (userId: string | undefined, more?: object) => idsOf(await page(userId, more));
      const [a, b, c] = [first, shared, last].map(({ run }) => run.id);
      assert.deepEqual(await list("ann"), [b, a]);
      assert.deepEqual(await list("bob"), [c, b]);
      assert.deepEqual(await list(undefined), [c, b, a]);
      assert.deepEqual(await list("bob", { after: last.run }), [b]);
      assert.deepEqual(await list("bob", { since: t0 + 2 }), [c]);
      assert.deepEqual(await list("bob", { until: t0 + 2 }), [b]);
      assert.deepEqual(await list(undefined, { since: t0 + 1, until: t0 + 2 }), [b]);
      assert.deepEqual(await list("bob", { sources: ["another"] }), []);
      assert.deepEqual((await page(undefined)).next, null);
      const { createdAt, id } = shared.run;
      assert.deepEqual((await page(undefined, { limit: 2 })).next, { createdAt, id });
      assert.deepEqual((await page(undefined, { limit: 3 })).next, null);
      assert.deepEqual(
        [await runs.hasRequested("bob", shared.run), await runs.hasRequested("bob", first.run)],
        [true, false],
      );
    },
  },
  {
    name: "returns the latest request of a user for a statement on the given data sources",
    async run(context) {
      const statement = { id: "st_a", sql: "select 1", statementHash: "same" };
      const request = async (userId: string, dataSourceId: string, age: number) =>
        (await submitAt(context, submission({ userId, dataSourceId }, { statement }), t0 - age)).request.id;
      const anns = await request("ann", "closed", 0);
      await request("bob", "open", 3);
      const onClosed = await request("bob", "closed", 2);
      await request("bob", "open", 1);
      const last = await request("bob", "open", 1); // at the same time
      const latest = async (userId: string | undefined, sources: readonly string[] | null) =>
        (await context.store.runs.latestRequest("st_a", { userId, sources }))?.request.id;
      assert.equal(await latest(undefined, null), anns);
      assert.equal(await latest("bob", null), last);
      assert.equal(await latest("bob", ["closed"]), onClosed);
      assert.equal(await latest("ann", ["open"]), undefined);
      assert.equal(await latest("eve", null), undefined);
    },
  },
];
