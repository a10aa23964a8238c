import assert from "node:assert/strict";
import type { Instant } from "@quern/query-run/record";
import type { KeyRecord, NewKeyRecord } from "../../store/key-store.ts";
import type { ContractCase } from "../contract-case.ts";
import { type StoreContext, t0 } from "./context.ts";

function newKey(id: string, change: Partial<NewKeyRecord> = {}): NewKeyRecord {
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
    networks: null,
    expiresAt: null,
    ...change,
  };
}

/** Adds a key at a time of the store's clock, and returns its expected record. */
async function addAt(context: StoreContext, now: Instant, key: NewKeyRecord): Promise<KeyRecord> {
  await context.setTime(now);
  await context.store.keys.add(key);
  return { ...key, createdAt: now, revokedAt: null, replaced: false, lastUsedAt: null, state: "active" };
}

async function withKey(context: StoreContext) {
  const { keys } = context.store;
  const key = await addAt(context, t0, newKey("key"));
  const at = async (now: Instant, change: () => Promise<void>): Promise<void> => {
    await context.setTime(now);
    await change();
  };
  return { keys, key, at, now: () => keys.byHash(key.hash) };
}

/** Cases about API keys. */
export const keyCases: readonly ContractCase<StoreContext>[] = [
  {
    name: "returns keys by their hash, and lists them with the oldest first",
    async run(context) {
      const { keys } = context.store;
      const lists = { scopes: ["run", "cancel"], sources: ["a", 'b"'], origins: [], networks: ["::1/128"] } as const;
      const young = await addAt(context, t0 + 1, newKey("young", { expiresAt: t0 + 9, origin: "generated" }));
      const old = await addAt(context, t0, newKey("old", { ...lists, origin: "environment" }));
      assert.deepEqual(await keys.all(), [old, young]);
      assert.deepEqual(await keys.byHash(old.hash), old);
      assert.equal(await keys.byHash(new Uint8Array(3)), undefined);
      await assert.rejects(keys.add(newKey("another", { hash: old.hash })));
    },
  },
  {
    name: "keeps a key revoked, with the time of the first revocation",
    async run(context) {
      const { keys, key, at, now } = await withKey(context);
      for (const time of [t0 + 1, t0 + 2]) await at(time, () => keys.revoke(key.id));
      await at(t0 + 3, () => keys.replace(key.id));
      await keys.restore(key.id);
      assert.deepEqual(await now(), { ...key, revokedAt: t0 + 1, state: "revoked" });
    },
  },
  {
    name: "restores a replaced key, unless it is also revoked",
    async run(context) {
      const { keys, key, at, now } = await withKey(context);
      await at(t0 + 1, () => keys.replace(key.id));
      assert.deepEqual(await now(), { ...key, revokedAt: t0 + 1, replaced: true, state: "revoked" });
      await keys.restore(key.id);
      assert.deepEqual(await now(), key);
      await at(t0 + 2, () => keys.replace(key.id));
      await at(t0 + 3, () => keys.revoke(key.id));
      await keys.restore(key.id);
      assert.deepEqual(await now(), { ...key, revokedAt: t0 + 2, state: "revoked" });
    },
  },
  {
    name: "only moves the expiry of a key earlier, and stores its last use",
    async run(context) {
      const { keys, key, at, now } = await withKey(context);
      const other = await addAt(context, t0, newKey("other"));
      for (const ms of [5, 3, 9]) await keys.expire(key.id, ms);
      await at(t0 + 1, () => keys.used(key.id));
      assert.deepEqual(await now(), { ...key, expiresAt: t0 + 3, lastUsedAt: t0 + 1 });
      assert.deepEqual((await keys.all())[1], other);
    },
  },
  {
    name: "derives the state of a key from its own clock; revoked takes precedence over expired",
    async run(context) {
      const { keys, key, now } = await withKey(context);
      const states = async () => [(await now())?.state, (await keys.all())[0]?.state];
      await keys.expire(key.id, 10);
      await context.setTime(t0 + 9);
      assert.deepEqual(await states(), ["active", "active"]);
      await context.setTime(t0 + 10);
      assert.deepEqual(await states(), ["expired", "expired"]);
      await keys.revoke(key.id);
      assert.deepEqual(await states(), ["revoked", "revoked"]);
    },
  },
];
