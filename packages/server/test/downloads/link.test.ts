import { existsSync } from "node:fs";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { adoptLinkSecret, linkSecret, revokeLinks } from "../../src/downloads/link.ts";
import { openSqliteStore } from "../../src/store/sqlite/store.ts";
import { temporaryDirectory } from "../fixture.ts";

let directory: string;
let file: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  file = join(directory, "links.key");
});
afterEach(() => rm(directory, { recursive: true }));

const openStore = () => openSqliteStore(join(directory, "test.db"));
const old = Buffer.from("the secret of an earlier version.");

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

it("is taken over from the file of an earlier version, once", async () => {
  const { settings, close } = openStore();
  await adoptLinkSecret(settings, file); // there is none
  await writeFile(file, old);
  await adoptLinkSecret(settings, file);
  expect(await linkSecret(settings)).toEqual(old);
  expect(existsSync(file)).toBe(false);
  await writeFile(file, Buffer.alloc(32));
  await adoptLinkSecret(settings, file);
  expect(await linkSecret(settings)).toEqual(old);
  expect(existsSync(file)).toBe(false);
  await close();
});

it("is not taken from a file that was cut off", async () => {
  const { settings, close } = openStore();
  await writeFile(file, "");
  await adoptLinkSecret(settings, file);
  expect(await linkSecret(settings)).toHaveLength(32);
  await close();
});

it("is not replaced while the file of an earlier version cannot be read", async () => {
  const { settings, close } = openStore();
  await mkdir(file);
  await expect(adoptLinkSecret(settings, file)).rejects.toMatchObject({ code: "EISDIR" });
  await close();
});
