import type { UsageRecord, UsageStore } from "@quern/adapter";
import { describe, expect, it } from "vitest";

function used(tenantId: string, userId: string, month: string, runs: number): UsageRecord {
  return { tenantId, userId, month, runs, execMs: 10 * runs, rows: 100 * runs, bytesRead: 1_000 * runs };
}

/** What every store of usage must do, whatever keeps it. */
export function testUsageStore(open: () => UsageStore): void {
  describe("a usage store", () => {
    it("adds to what a user has used in a month", async () => {
      const store = open();
      const user = { tenantId: "acme", userId: "ann", month: "2026-11" };
      expect(await store.of(user)).toEqual({ runs: 0, execMs: 0, rows: 0, bytesRead: 0 });
      await store.add([used("acme", "ann", "2026-11", 1), used("acme", "ann", "2026-11", 2)]);
      await store.add([used("acme", "ann", "2026-11", 4), used("acme", "bob", "2026-11", 1)]);
      expect(await store.of(user)).toEqual({ runs: 7, execMs: 70, rows: 700, bytesRead: 7_000 });
    });

    it("lists by month, tenant and user, of one month or of all", async () => {
      const store = open();
      const ordered = [
        used("beta", "eve", "2026-10", 1),
        used("acme", "ann", "2026-11", 2),
        used("acme", "bob", "2026-11", 3),
        used("beta", "ann", "2026-11", 4),
      ];
      await store.add(ordered.toReversed());
      expect(await store.all()).toEqual(ordered);
      expect(await store.all("2026-10")).toEqual(ordered.slice(0, 1));
    });
  });
}
