import type { KeyRecord, KeyStore } from "@quern/adapter";
import { describe, expect, it } from "vitest";

const t0 = Date.UTC(2026, 10, 20);

function record(id: string, change: Partial<KeyRecord> = {}): KeyRecord {
  return {
    id,
    hash: new TextEncoder().encode(`hash of ${id}`),
    lastFour: "abcd",
    origin: "issued",
    tenantId: "tenant",
    userId: "user",
    scopes: ["read"],
    sources: null,
    origins: null,
    createdAt: t0,
    expiresAt: null,
    revokedAt: null,
    replaced: false,
    lastUsedAt: null,
    ...change,
  };
}

/** What every store of keys must do, whatever keeps them. */
export function testKeyStore(open: () => KeyStore): void {
  describe("a key store", () => {
    const withKey = async (change: Partial<KeyRecord> = {}) => {
      const store = open();
      const key = record("key", change);
      await store.add(key);
      return { store, key, now: () => store.byHash(key.hash) };
    };

    it("gives back what it was given, by its hash and the oldest first", async () => {
      const store = open();
      const lists = { scopes: ["run", "cancel"], sources: ["a", 'b"'], origins: [] } as const;
      const young = record("young", { createdAt: t0 + 1, expiresAt: t0 + 9, origin: "generated" });
      const old = record("old", { ...lists, origin: "environment", createdAt: t0 });
      for (const key of [young, old]) await store.add(key);
      expect(await store.all()).toEqual([old, young]);
      expect(await store.byHash(old.hash)).toEqual(old);
      expect(await store.byHash(new Uint8Array(3))).toBeUndefined();
      await expect(store.add({ ...old, id: "another" })).rejects.toThrow();
    });

    it("keeps a key revoked, since the first time", async () => {
      const { store, key, now } = await withKey();
      await store.revoke(key.id, t0 + 1);
      await store.revoke(key.id, t0 + 2);
      await store.replace(key.id, t0 + 3);
      await store.restore(key.id);
      expect(await now()).toEqual({ ...key, revokedAt: t0 + 1 });
    });

    it("restores a key that was replaced, unless it is revoked as well", async () => {
      const { store, key, now } = await withKey();
      await store.replace(key.id, t0 + 1);
      expect(await now()).toEqual({ ...key, revokedAt: t0 + 1, replaced: true });
      await store.restore(key.id);
      expect(await now()).toEqual(key);
      await store.replace(key.id, t0 + 2);
      await store.revoke(key.id, t0 + 3);
      await store.restore(key.id);
      expect(await now()).toEqual({ ...key, revokedAt: t0 + 2 });
    });

    it("only ever brings the end of a key nearer, and knows when it was used", async () => {
      const { store, key, now } = await withKey();
      await store.add(record("other"));
      for (const at of [t0 + 5, t0 + 3, t0 + 9]) await store.expire(key.id, at);
      await store.used(key.id, t0 + 1);
      expect(await now()).toEqual({ ...key, expiresAt: t0 + 3, lastUsedAt: t0 + 1 });
      expect((await store.all())[1]).toEqual(record("other"));
    });
  });
}
