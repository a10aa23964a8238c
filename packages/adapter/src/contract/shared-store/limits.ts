import assert from "node:assert/strict";
import type { ContractCase } from "../contract-case.ts";
import { submitAt, t0 } from "../store/context.ts";
import { submission } from "../store/submission.ts";
import type { SharedStoreContext } from "./context.ts";

const calls = Array.from({ length: 20 }, (_, number) => number);

/** Cases about limits that hold over all servers together. */
export const sharedLimitCases: readonly ContractCase<SharedStoreContext>[] = [
  {
    name: "takes the tokens of a key from one bucket, whichever server asks",
    async run({ store, another, setTime }) {
      const rate = { requestsPerSecond: 4, burst: 3 };
      await setTime(t0);
      assert.equal(await store.rates.take("key", rate), 0);
      assert.equal(await another.rates.take("key", rate), 0);
      assert.equal(await store.rates.take("key", rate), 0);
      assert.equal(await another.rates.take("key", rate), 250);
      const concurrent = calls.map((call) => (call % 2 === 0 ? store : another).rates.take("busy", rate));
      assert.equal((await Promise.all(concurrent)).filter((waitMs) => waitMs === 0).length, 3);
    },
  },
  {
    name: "shares the permits of a lease among the owners of all servers",
    async run({ store, another, setTime }) {
      await setTime(t0);
      const lease = (owner: string) => ({ owner, ms: 1_000 });
      assert.equal(await store.leases.take("lock", 1, lease("one")), true);
      assert.equal(await another.leases.take("lock", 1, lease("other")), false);
      await store.leases.release("lock", "one");
      assert.equal(await another.leases.take("lock", 1, lease("other")), true);
      const concurrent = calls.map((call) =>
        (call % 2 === 0 ? store : another).leases.take("slots", 5, lease(`call ${call}`)),
      );
      assert.equal((await Promise.all(concurrent)).filter(Boolean).length, 5);
    },
  },
  {
    name: "refuses runs above the cap of a tenant that concurrent calls of all servers reach together",
    async run(context) {
      const { store, another, setTime } = context;
      await setTime(t0);
      const caps = { maxUnfinishedRuns: 5 };
      const outcomes = await Promise.all(
        calls.map((call) => (call % 2 === 0 ? store : another).runs.submit(submission({}, { caps }))),
      );
      assert.equal(outcomes.filter(({ outcome }) => outcome === "accepted").length, 5);
    },
  },
  {
    name: "executes at most as many runs of a tenant as its cap allows, on all servers together",
    async run(context) {
      const caps = { maxRunningRuns: 3 };
      await context.setTime(t0);
      for (const call of calls)
        await (call % 2 === 0 ? context.store : context.another).runs.submit(submission({}, { caps }));
      await submitAt(context, submission({ tenantId: "other" }, { caps }));
      const claims = calls.map((call) => {
        const { runs } = call % 2 === 0 ? context.store : context.another;
        return runs.claim({ owner: `server ${call % 2}`, ms: 30_000 });
      });
      const tenants = (await Promise.all(claims)).flatMap((claimed) => claimed?.run.tenantId ?? []);
      // A store may refuse a claim while another one is under way; a later claim gets the run.
      for (let claim = 0; claim < 2; claim += 1)
        for (const { runs } of [context.store, context.another]) {
          const claimed = await runs.claim({ owner: "late", ms: 30_000 });
          if (claimed !== undefined) tenants.push(claimed.run.tenantId);
        }
      assert.deepEqual(tenants.sort(), ["other", "tenant", "tenant", "tenant"]);
    },
  },
  {
    name: "serves tenants round-robin, whichever server claims their runs",
    async run(context) {
      for (const tenantId of ["one", "one", "one", "two", "two", "three"])
        await submitAt(context, submission({ tenantId }));
      const claimed: string[] = [];
      for (const call of [0, 1, 2, 3, 4, 5]) {
        const { runs } = call % 2 === 0 ? context.store : context.another;
        claimed.push((await runs.claim({ owner: "server", ms: 30_000 }))?.run.tenantId ?? "none");
      }
      assert.deepEqual(
        [claimed.slice(0, 3).sort(), claimed.slice(3, 5).sort()],
        [
          ["one", "three", "two"],
          ["one", "two"],
        ],
      );
      assert.equal(claimed[5], "one");
    },
  },
  {
    name: "adds the usage that all servers report at the same time",
    async run({ store, another }) {
      const user = { tenantId: "tenant", userId: "user", month: "2026-11" };
      await Promise.all(
        calls.map((call) =>
          (call % 2 === 0 ? store : another).usage.add([{ ...user, execMs: 3, runs: 1, rows: 2, bytesRead: 5 }]),
        ),
      );
      for (const { usage } of [store, another])
        assert.deepEqual(await usage.get(user), { execMs: 60, runs: 20, rows: 40, bytesRead: 100 });
    },
  },
];
