import assert from "node:assert/strict";
import type { UsageRecord } from "../../store/tenant-store.ts";
import type { ContractCase } from "../contract-case.ts";
import type { StoreContext } from "./context.ts";

function used(tenantId: string, userId: string, month: string, runs: number): UsageRecord {
  return { tenantId, userId, month, runs, execMs: 10 * runs, rows: 100 * runs, bytesRead: 1_000 * runs };
}

/** Cases about the settings of tenants, and the usage of their users. */
export const tenantCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "merges settings, where null is a value, and keeps the creation time of the tenant",
    async run(context) {
      const { tenants } = context.store;
      assert.equal(await tenants.tenant("acme"), undefined);
      await context.setTime(1);
      await tenants.set("acme", { maxRunningRuns: 2, requestsPerSecond: 0.5 });
      await context.setTime(2);
      await tenants.set("acme", { maxRunningRuns: null, monthlyExecSeconds: 60 });
      const settings = { maxRunningRuns: null, requestsPerSecond: 0.5, monthlyExecSeconds: 60 };
      assert.deepEqual(await tenants.tenant("acme"), { id: "acme", createdAt: 1, settings });
    },
  },
  {
    name: "keeps tenants separate, and lists the oldest first",
    async run(context) {
      const { tenants } = context.store;
      await context.setTime(2);
      await tenants.set("young", {});
      await context.setTime(1);
      await tenants.set("old", { requestBurst: 3 });
      assert.deepEqual(await tenants.all(), [
        { id: "old", createdAt: 1, settings: { requestBurst: 3 } },
        { id: "young", createdAt: 2, settings: {} },
      ]);
    },
  },
  {
    name: "adds to the usage of a user in a month",
    async run({ store: { usage } }) {
      const user = { tenantId: "acme", userId: "ann", month: "2026-11" };
      assert.deepEqual(await usage.get(user), { runs: 0, execMs: 0, rows: 0, bytesRead: 0 });
      await usage.add([used("acme", "ann", "2026-11", 1), used("acme", "ann", "2026-11", 2)]);
      await usage.add([used("acme", "ann", "2026-11", 4), used("acme", "bob", "2026-11", 1)]);
      assert.deepEqual(await usage.get(user), { runs: 7, execMs: 70, rows: 700, bytesRead: 7_000 });
    },
  },
  {
    name: "lists usage by month, tenant and user, of one month or of all",
    async run({ store: { usage } }) {
      const ordered = [
        used("beta", "eve", "2026-10", 1),
        used("acme", "ann", "2026-11", 2),
        used("acme", "bob", "2026-11", 3),
        used("beta", "ann", "2026-11", 4),
      ];
      await usage.add(ordered.toReversed());
      assert.deepEqual(await usage.all(), ordered);
      assert.deepEqual(await usage.all("2026-10"), ordered.slice(0, 1));
      assert.deepEqual(await usage.ofTenant("acme", "2026-11"), ordered.slice(1, 3));
      assert.deepEqual(await usage.ofTenant("acme", "2026-10"), []);
    },
  },
];
