import assert from "node:assert/strict";
import type { KeyRecord } from "../../store/key-store.ts";
import type { ContractCase } from "../contract-case.ts";
import { type StoreContext, t0 } from "./context.ts";

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

async function withKey({ store: { keys } }: StoreContext) {
  const key = record("key");
  await keys.add(key);
  return { keys, key, now: () => keys.byHash(key.hash) };
}

/** Cases about API keys. */
export const keyCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "gives keys back by their hash and the oldest first",
    async run({ store: { keys } }) {
      const lists = { scopes: ["run", "cancel"], sources: ["a", 'b"'], origins: [] } as const;
      const young = record("young", { createdAt: t0 + 1, expiresAt: t0 + 9, origin: "generated" });
      const old = record("old", { ...lists, origin: "environment", createdAt: t0 });
      for (const key of [young, old]) await keys.add(key);
      assert.deepEqual(await keys.all(), [old, young]);
      assert.deepEqual(await keys.byHash(old.hash), old);
      assert.equal(await keys.byHash(new Uint8Array(3)), undefined);
      await assert.rejects(keys.add({ ...old, id: "another" }));
    },
  },
  {
    name: "keeps a key revoked, since the first time",
    async run(context) {
      const { keys, key, now } = await withKey(context);
      await keys.revoke(key.id, t0 + 1);
      await keys.revoke(key.id, t0 + 2);
      await keys.replace(key.id, t0 + 3);
      await keys.restore(key.id);
      assert.deepEqual(await now(), { ...key, revokedAt: t0 + 1 });
    },
  },
  {
    name: "restores a key that was replaced, unless it is revoked as well",
    async run(context) {
      const { keys, key, now } = await withKey(context);
      await keys.replace(key.id, t0 + 1);
      assert.deepEqual(await now(), { ...key, revokedAt: t0 + 1, replaced: true });
      await keys.restore(key.id);
      assert.deepEqual(await now(), key);
      await keys.replace(key.id, t0 + 2);
      await keys.revoke(key.id, t0 + 3);
      await keys.restore(key.id);
      assert.deepEqual(await now(), { ...key, revokedAt: t0 + 2 });
    },
  },
  {
    name: "only ever brings the end of a key nearer, and knows when it was used",
    async run(context) {
      const { keys, key, now } = await withKey(context);
      await keys.add(record("other"));
      for (const at of [t0 + 5, t0 + 3, t0 + 9]) await keys.expire(key.id, at);
      await keys.used(key.id, t0 + 1);
      assert.deepEqual(await now(), { ...key, expiresAt: t0 + 3, lastUsedAt: t0 + 1 });
      assert.deepEqual((await keys.all())[1], record("other"));
    },
  },
];
