import type { KeyStore } from "@quern/adapter";
import { beforeEach, expect, it } from "vitest";
import { ensureFirstKey, generateApiKey, hashApiKey, keyRecordOf } from "../../src/identity/api-key.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";

let keys: KeyStore;
let time: number;
beforeEach(() => {
  keys = openSqliteStore(":memory:", { clock: { now: () => time } }).keys;
});

/** Begins a server on the keys at a time. */
function beginAt(now: number, given: string | undefined): Promise<string | undefined> {
  time = now;
  return ensureFirstKey({ keys, isShared: false }, given);
}

function revokeAt(now: number, id: string): Promise<void> {
  time = now;
  return keys.revoke(id);
}

/** When a key was revoked: null while it is good, undefined where it was never known. */
async function revokedAt(key: string): Promise<number | null | undefined> {
  return (await keys.byHash(hashApiKey(key)))?.revokedAt;
}

it("makes a key for a server that has none, once", async () => {
  const made = await beginAt(1, undefined);
  expect(await revokedAt(made ?? "")).toBeNull();
  expect(await beginAt(2, undefined)).toBeUndefined();
  expect(await keys.all()).toHaveLength(1);
});

it("follows the environment: another key revokes the one before, and its return restores it", async () => {
  expect(await beginAt(1, "one")).toBeUndefined();
  await beginAt(2, "two");
  expect([await revokedAt("one"), await revokedAt("two")]).toEqual([2, null]);
  await beginAt(3, "three");
  expect([await revokedAt("one"), await revokedAt("two")]).toEqual([2, 3]);
  await beginAt(4, "one");
  expect([await revokedAt("one"), await revokedAt("three")]).toEqual([null, 4]);
  expect(await keys.all()).toHaveLength(3);
});

it("leaves a made key alone, and makes another when every key is revoked", async () => {
  const made = (await beginAt(1, undefined)) ?? "";
  await beginAt(2, "given");
  expect(await revokedAt(made)).toBeNull();
  for (const { id } of await keys.all()) await revokeAt(3, id);
  expect(await beginAt(4, undefined)).not.toBe(made);
  expect(await revokedAt(made)).toBe(3);
});

it("restores no key that the operator has revoked, and leaves the others as they are", async () => {
  await beginAt(1, "one");
  await beginAt(2, "two");
  const idOf = async (key: string) => (await keys.byHash(hashApiKey(key)))?.id ?? "";
  for (const key of ["one", "two"]) await revokeAt(3, await idOf(key));
  await beginAt(4, "three");
  for (const key of ["one", "two"])
    await expect(beginAt(5, key)).rejects.toThrow(
      `The configured API key, ${await idOf(key)}, is revoked; set QUERN_API_KEY or the option apiKey to another key, or unset it.`,
    );
  await keys.restore(await idOf("two"));
  expect([await revokedAt("one"), await revokedAt("two"), await revokedAt("three")]).toEqual([2, 3, null]);
});

it("refuses an empty key", async () => {
  await expect(beginAt(1, "")).rejects.toThrow("Invalid apiKey: it is empty; pass a key, or omit the option.");
});

it("keeps the configured keys of all servers of a shared store, and reports the others", async () => {
  const others: string[] = [];
  const begin = (given: string) => ensureFirstKey({ keys, isShared: true }, given, (id) => void others.push(id));
  const idOf = async (key: string) => (await keys.byHash(hashApiKey(key)))?.id ?? "";
  time = 1;
  for (const key of ["one", "two", "one"]) await begin(key);
  expect([await revokedAt("one"), await revokedAt("two")]).toEqual([null, null]);
  expect(others).toEqual([await idOf("one"), await idOf("two")]);
  await revokeAt(2, await idOf("two"));
  await begin("one");
  expect(others).toHaveLength(2);
});

it("generates keys with 256 random bits, and records their last four characters and not more", () => {
  expect(generateApiKey()).toMatch(/^qk_[0-9a-f]{8}_[\w-]{43}$/);
  expect(generateApiKey()).not.toBe(generateApiKey());
  expect(keyRecordOf("qk_0123abcd_secret", "issued")).toEqual({
    id: expect.stringMatching(/^key_[0-9a-f]{12}$/),
    hash: hashApiKey("qk_0123abcd_secret"),
    lastFour: "cret",
    origin: "issued",
  });
});

it.each([
  [undefined, "generated"],
  ["given", "environment"],
])("gives the first key (%s) all rights of the first tenant, and the origin %s", async (given, origin) => {
  await beginAt(1, given);
  const [key, ...others] = await keys.all();
  expect(others).toEqual([]);
  expect(key).toMatchObject({
    origin,
    tenantId: "tenant_first",
    userId: "user_first",
    scopes: ["run", "read", "cancel", "tenant:admin"],
    sources: null,
    origins: null,
    networks: null,
    expiresAt: null,
  });
});
