import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { linkSecret, revokeLinks } from "../../src/downloads/link.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { temporaryDirectory } from "../fixture.ts";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
});
afterEach(() => rm(directory, { recursive: true }));

const openStore = () => openSqliteStore(join(directory, "test.db"));

it("is the same for all servers on a store, and has 32 random bytes", async () => {
  const stores = [openStore(), openStore(), openSqliteStore(":memory:")];
  const secrets = await Promise.all(stores.map(async ({ settings }) => Buffer.from(await linkSecret(settings))));
  expect(secrets[0]).toHaveLength(32);
  expect(secrets[1]).toEqual(secrets[0]);
  expect(secrets[2]).not.toEqual(secrets[0]);
  for (const store of stores) await store.close();
});

it("is another one once links are revoked, on every server", async () => {
  const [one, other] = [openStore(), openStore()];
  const before = await linkSecret(one.settings);
  await revokeLinks(other.settings);
  const after = await linkSecret(one.settings);
  expect(after).not.toEqual(before);
  expect(await linkSecret(other.settings)).toEqual(after);
  await Promise.all([one.close(), other.close()]);
});
