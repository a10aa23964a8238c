import type { TenantStore } from "@quern/adapter";
import { describe, expect, it } from "vitest";

/** What every store of tenants must do, whatever keeps them. */
export function testTenantStore(open: () => TenantStore): void {
  describe("a tenant store", () => {
    it("lays settings over those that are there, where null says something, and keeps when a tenant was made", async () => {
      const store = open();
      expect(await store.tenant("acme")).toBeUndefined();
      await store.set("acme", { maxRunningRuns: 2, requestsPerSecond: 0.5 }, 1);
      await store.set("acme", { maxRunningRuns: null, monthlyExecSeconds: 60 }, 2);
      const settings = { maxRunningRuns: null, requestsPerSecond: 0.5, monthlyExecSeconds: 60 };
      expect(await store.tenant("acme")).toEqual({ id: "acme", createdAt: 1, settings });
    });

    it("keeps tenants apart, and lists the oldest first", async () => {
      const store = open();
      await store.set("young", {}, 2);
      await store.set("old", { requestBurst: 3 }, 1);
      expect(await store.all()).toEqual([
        { id: "old", createdAt: 1, settings: { requestBurst: 3 } },
        { id: "young", createdAt: 2, settings: {} },
      ]);
    });
  });
}
