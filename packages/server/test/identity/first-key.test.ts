import type { KeyStore } from "@quern/adapter";
import { beforeEach, expect, it } from "vitest";
import { hashApiKey } from "../../src/identity/api-key.ts";
import { ensureFirstKey } from "../../src/identity/first-key.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";

let keys: KeyStore;
beforeEach(() => {
  keys = openSqliteStore(":memory:").keys;
});

/** When a key was revoked: null while it is good, undefined where it was never known. */
async function revokedAt(key: string): Promise<number | null | undefined> {
  return (await keys.byHash(hashApiKey(key)))?.revokedAt;
}

it("makes a key for a server that has none, once", async () => {
  const made = await ensureFirstKey(keys, undefined, 1);
  expect(await revokedAt(made ?? "")).toBeNull();
  expect(await ensureFirstKey(keys, undefined, 2)).toBeUndefined();
  expect(await keys.all()).toHaveLength(1);
});

it("follows the environment: another key revokes the one before, and its return restores it", async () => {
  expect(await ensureFirstKey(keys, "one", 1)).toBeUndefined();
  await ensureFirstKey(keys, "two", 2);
  expect([await revokedAt("one"), await revokedAt("two")]).toEqual([2, null]);
  await ensureFirstKey(keys, "three", 3);
  expect([await revokedAt("one"), await revokedAt("two")]).toEqual([2, 3]);
  await ensureFirstKey(keys, "one", 4);
  expect([await revokedAt("one"), await revokedAt("three")]).toEqual([null, 4]);
  expect(await keys.all()).toHaveLength(3);
});

it("leaves a made key alone, and makes another when every key is revoked", async () => {
  const made = (await ensureFirstKey(keys, undefined, 1)) ?? "";
  await ensureFirstKey(keys, "given", 2);
  expect(await revokedAt(made)).toBeNull();
  for (const { id } of await keys.all()) await keys.revoke(id, 3);
  expect(await ensureFirstKey(keys, undefined, 4)).not.toBe(made);
  expect(await revokedAt(made)).toBe(3);
});

it("restores no key that the operator has revoked, and leaves the others as they are", async () => {
  await ensureFirstKey(keys, "one", 1);
  await ensureFirstKey(keys, "two", 2);
  const idOf = async (key: string) => (await keys.byHash(hashApiKey(key)))?.id ?? "";
  for (const key of ["one", "two"]) await keys.revoke(await idOf(key), 3);
  await ensureFirstKey(keys, "three", 4);
  for (const key of ["one", "two"])
    await expect(ensureFirstKey(keys, key, 5)).rejects.toThrow(`QUERN_API_KEY names, ${await idOf(key)}, is revoked.`);
  await keys.restore(await idOf("two"));
  expect([await revokedAt("one"), await revokedAt("two"), await revokedAt("three")]).toEqual([2, 3, null]);
});

it("refuses an empty key", async () => {
  await expect(ensureFirstKey(keys, "", 1)).rejects.toThrow("The API key is empty.");
});
