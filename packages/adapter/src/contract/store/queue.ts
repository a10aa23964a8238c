import assert from "node:assert/strict";
import type { RunRecord } from "@quern/query-run/record";
import type { ContractCase } from "../contract-case.ts";
import { claimAt, lease, type StoreContext, sampleResult, submitAt, t0 } from "./context.ts";
import { submission } from "./submission.ts";

/** Cases about the order in which runs are claimed. */
export const queueCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "lets each run be claimed once, the oldest first",
    async run(context) {
      const ids = [];
      for (const age of [2, 1, 0]) ids.push((await submitAt(context, submission(), t0 - age)).run.id);
      const claims = await Promise.all([1, 2, 3, 4].map(() => context.store.runs.claim(lease)));
      assert.deepEqual(
        claims.map((claim) => claim?.run.id),
        [...ids, undefined],
      );
      assert.deepEqual([claims[0]?.run.state, claims[0]?.run.attempt], ["QUERY_STATE_RUNNING", 1]);
      assert.match(claims[0]?.sql ?? "", /^select/);
    },
  },
  {
    name: "serves tenants and users round-robin, so that many runs of one do not delay the first of another",
    async run(context) {
      const loud = Array.from({ length: 1_000 }, () => submission({ tenantId: "busy", userId: "loud" }));
      // All at once would wait longer for a connection than a store on a loaded machine allows.
      for (let at = 0; at < loud.length; at += 100)
        await Promise.all(loud.slice(at, at + 100).map((each) => submitAt(context, each)));
      await claimAt(context, t0);
      await submitAt(context, submission({ tenantId: "busy", userId: "quiet" }), t0 + 1);
      await submitAt(context, submission({ tenantId: "other", userId: "late" }), t0 + 1);
      const next = async () => (await claimAt(context, t0 + 1))?.run.userId;
      assert.deepEqual([await next(), await next(), await next(), await next()], ["late", "quiet", "loud", "loud"]);
      await submitAt(context, submission({ tenantId: "other", userId: "late" }), t0 + 2);
      assert.deepEqual([await next(), await next()], ["late", "loud"]);
    },
  },
  {
    name: "executes at most as many runs of a tenant as its cap",
    async run(context) {
      const { runs } = context.store;
      const caps = { maxRunningRuns: 1 };
      const first = await submitAt(context, submission({}, { caps }));
      await submitAt(context, submission({ userId: "colleague" }, { caps }));
      const other = await submitAt(context, submission({ tenantId: "other" }, { caps }), t0 + 1);
      assert.equal((await claimAt(context, t0 + 1))?.run.id, first.run.id);
      assert.equal((await claimAt(context, t0 + 1))?.run.id, other.run.id);
      assert.equal(await claimAt(context, t0 + 1), undefined);
      await context.setTime(t0 + 2);
      await runs.apply(first.run.id, { type: "executed", attempt: 1 });
      assert.equal(await claimAt(context, t0 + 2), undefined);
      await context.setTime(t0 + 3);
      await runs.apply(first.run.id, { type: "committed", attempt: 1, result: sampleResult });
      assert.equal((await claimAt(context, t0 + 3))?.run.userId, "colleague");
    },
  },
  {
    name: "claims the runs of the data sources that may start only, and counts those that execute",
    async run(context) {
      const { runs } = context.store;
      for (const [age, dataSourceId] of ["slow", "slow", "fast", "removed"].entries())
        await submitAt(context, submission({ dataSourceId, tenantId: age === 1 ? "other" : "tenant" }), t0 + age);
      await context.setTime(t0 + 9);
      const claimedSource = async (names: readonly string[], isIncluded: boolean) => {
        const claimed = await runs.claim(lease, { names, isIncluded });
        return claimed === undefined ? undefined : String(claimed.run.dataSourceId);
      };
      assert.equal(await claimedSource(["unknown"], true), undefined);
      assert.equal(await claimedSource([], true), undefined);
      assert.equal(await claimedSource(["fast", "removed"], false), "slow");
      assert.equal(await claimedSource(["slow"], false), "fast");
      const claims = await Promise.all([claimedSource(["slow"], false), claimedSource(["slow"], true)]);
      assert.deepEqual(claims, ["removed", "slow"]);
      assert.equal(await claimedSource([], false), undefined);
      const executing = ["tenant", "other", "unknown"].map((tenantId) => runs.executing(tenantId));
      assert.deepEqual(await Promise.all(executing), [3, 1, 0]);
    },
  },
  {
    name: "applies the current cap of the tenant when a run is claimed",
    async run(context) {
      const { tenants } = context.store;
      const submitted = () => submission({}, { caps: { maxRunningRuns: 1 } });
      for (let run = 0; run < 4; run += 1) await submitAt(context, submitted());
      const claims = async () => (await claimAt(context, t0)) !== undefined;
      assert.deepEqual([await claims(), await claims()], [true, false]);
      await tenants.set("tenant", { maxUnfinishedRuns: 9 });
      assert.equal(await claims(), false);
      await tenants.set("tenant", { maxRunningRuns: 2 });
      assert.deepEqual([await claims(), await claims()], [true, false]);
      await tenants.set("tenant", { maxRunningRuns: null });
      assert.equal(await claims(), true);
      await tenants.set("tenant", { maxRunningRuns: 3 });
      assert.equal(await claims(), false);
    },
  },
  {
    name: "counts the unfinished runs by their state",
    async run(context) {
      const { runs } = context.store;
      const counts = async () => {
        const { ready, running, streaming } = await context.store.counts();
        return { ready, running, streaming };
      };
      assert.deepEqual(await counts(), { ready: 0, running: 0, streaming: 0 });
      for (const tenantId of ["one", "two", "three", "four"]) await submitAt(context, submission({ tenantId }));
      const claimed = [await claimAt(context, t0), await claimAt(context, t0)];
      await runs.apply(claimed[0]?.run.id ?? "", { type: "executed", attempt: 1 });
      assert.deepEqual(await counts(), { ready: 2, running: 1, streaming: 1 });
      await runs.apply(claimed[1]?.run.id ?? "", { type: "canceled" });
      assert.deepEqual(await counts(), { ready: 2, running: 0, streaming: 1 });
    },
  },
  {
    name: "counts the unfinished runs of a tenant by user",
    async run(context) {
      const { runs } = context.store;
      assert.deepEqual(await runs.unfinished("tenant"), []);
      for (const userId of ["bob", "ann", "ann", "ann"]) await submitAt(context, submission({ userId }));
      await submitAt(context, submission({ userId: "ann", tenantId: "other" }));
      const claimed = [await claimAt(context, t0), await claimAt(context, t0), await claimAt(context, t0)];
      assert.deepEqual(claimed.map((each) => each?.run.tenantId).toSorted(), ["other", "tenant", "tenant"]);
      const ids = claimed.flatMap((each) => (each?.run.tenantId === "tenant" ? [each.run.id] : []));
      await runs.apply(ids[0] ?? "", { type: "executed", attempt: 1 });
      const counts = await runs.unfinished("tenant");
      assert.deepEqual(
        counts.map(({ userId }) => userId),
        ["ann", "bob"],
      );
      assert.equal(
        counts.reduce((sum, { running }) => sum + running, 0),
        ids.length,
      );
      assert.equal(
        counts.reduce((sum, { running, queued }) => sum + running + queued, 0),
        4,
      );
      for (const id of ids) await runs.apply(id, { type: "canceled" });
      const left = await runs.unfinished("tenant");
      assert.equal(
        left.reduce((sum, { running }) => sum + running, 0),
        0,
      );
    },
  },
  {
    name: "returns the creation time of the oldest waiting run",
    async run(context) {
      const oldest = async () => (await context.store.counts()).oldestReadyAt;
      assert.equal(await oldest(), null);
      const { run } = await submitAt(context, submission({ userId: "second" }), t0 + 5);
      await submitAt(context, submission({ userId: "first" }), t0 + 9);
      assert.equal(await oldest(), t0 + 5);
      assert.equal((await claimAt(context, t0 + 10))?.run.id, run.id);
      assert.equal(await oldest(), t0 + 9);
      await context.store.runs.apply(run.id, { type: "released", attempt: 1 });
      assert.equal(await oldest(), t0 + 5);
    },
  },
  {
    name: "knows the position of each waiting run in the order in which the runs of its tenant are claimed",
    async run(context) {
      const submitted: RunRecord[] = [];
      for (const [index, userId] of ["ann", "ann", "ann", "ben", "cleo", "cleo"].entries())
        submitted.push((await submitAt(context, submission({ userId }), t0 + index)).run);
      const other = await submitAt(context, submission({ tenantId: "other", userId: "ann" }), t0 + 9);
      const claimedId = async () => (await claimAt(context, t0 + 10))?.run.id;
      assert.equal(await claimedId(), submitted[0]?.id);
      const positions = await Promise.all(submitted.map((run) => context.store.runs.queuePosition(run)));
      assert.deepEqual(positions, [undefined, 3, 5, 1, 2, 4]);
      assert.equal(await context.store.runs.queuePosition(other.run), 1);
      const order = [];
      for (let claim = 0; claim < 6; claim += 1) order.push(await claimedId());
      assert.deepEqual(order, [other.run.id, ...[3, 4, 1, 5, 2].map((index) => submitted[index]?.id)]);
    },
  },
];
