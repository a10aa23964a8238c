import { rm } from "node:fs/promises";
import { join } from "node:path";
import { StatementError } from "@quern/adapter";
import { createServer } from "@quern/server";
import { expect, it, onTestFinished } from "vitest";
import { loadAdapter } from "../../src/adapters/adapter-package.ts";
import { checkResultsAddress, checkStoreAddress } from "../../src/adapters/storage-options.ts";
import { ConfigurationError, readConfiguration } from "../../src/configuration/configuration.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { temporaryDirectory } from "../fixture.ts";

async function newDirectory(): Promise<string> {
  const directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const read = (configuration: object) =>
  readConfiguration({ file: { name: "quern.json", text: JSON.stringify(configuration) }, env: {}, flags: {} });

it("takes the addresses of a store and of results from the configuration", () => {
  const storage = {
    store: "postgres://quern@db.example.com:5432/quern?sslmode=require",
    storePasswordFile: "/run/secrets/password",
    storeCacheSeconds: 0.5,
    leaseSeconds: 10,
    results: "s3://bucket/prefix?endpoint=https://storage.example.com",
    maxResultCacheBytes: 1_000_000,
  };
  expect(read(storage)).toEqual(storage);
  const env = { QUERN_STORE: storage.store, QUERN_RESULTS: storage.results };
  expect(readConfiguration({ env, flags: {} })).toEqual({ store: storage.store, results: storage.results });
});

it.each([
  ["postgres://quern:hidden@db/quern", "Invalid setting store: the address contains a password; remove it, and set it"],
  ["postgresql://quern@db/quern?password=hidden", "Invalid setting store: the address contains a password;"],
  ["mysql://quern:hidden@db/quern", "Invalid setting store: unknown scheme mysql://; write it as postgres://user@host"],
  ["db.example.com/hidden", "Invalid setting store: it is not an address; write it as postgres://user@host/database."],
])("refuses the store %s with one line that has no secret", (store, message) => {
  for (const check of [() => checkStoreAddress(store), () => read({ store })]) {
    expect(check).toThrow(message);
    expect(check).not.toThrow(/hidden|\n/);
  }
  expect(() => read({ store })).toThrow(ConfigurationError);
});

it.each([
  ["s3://key:hidden@bucket/prefix", "Invalid setting results: the address contains a password; remove it, and set the"],
  ["s3://bucket?secretAccessKey=hidden", "Invalid setting results: the address contains a password;"],
  ["https://bucket.example.com/hidden", "Invalid setting results: unknown scheme https://; write it as s3://bucket"],
])("refuses the results %s with one line that has no secret", (results, message) => {
  for (const check of [() => checkResultsAddress(results), () => read({ results })]) {
    expect(check).toThrow(message);
    expect(check).not.toThrow(/hidden|\n/);
  }
});

it("names the command that installs the package of a store, and refuses a package without its export", async () => {
  await expect(loadAdapter("the setting store", "@quern/no-such-package", "createStore")).rejects.toThrow(
    /^Missing package of the setting store: @quern\/no-such-package; install it: npm install @quern\/no-such-package$/,
  );
  await expect(loadAdapter("the setting store", "@quern/adapter", "createStore")).rejects.toThrow(
    "Package of another version: @quern/adapter has no createStore; install the version of this server.",
  );
  const adapter = await loadAdapter<{ StatementError: typeof StatementError }>(
    "kind",
    "@quern/adapter",
    "StatementError",
  );
  expect(adapter.StatementError).toBe(StatementError);
});

it("refuses a shared store whose servers cannot read the results of each other, and closes it", async () => {
  const inner = openSqliteStore(":memory:");
  let closed = 0;
  const close = async (): Promise<void> => {
    closed += 1;
    await inner.close();
  };
  const store = { ...inner, isShared: true, close };
  await expect(createServer({ dataDir: await newDirectory(), store })).rejects.toThrow(
    "Missing setting results: servers of a shared store need results that all of them can read; set it, such as s3://bucket/prefix.",
  );
  expect(closed).toBe(1);
});

it("names a password file that cannot be read", async () => {
  const dataDir = await newDirectory();
  const storePasswordFile = join(dataDir, "missing");
  await expect(createServer({ dataDir, store: "postgres://quern@127.0.0.1/quern", storePasswordFile })).rejects.toThrow(
    `Cannot read the password of the store: ${storePasswordFile} (ENOENT); check the setting storePasswordFile.`,
  );
});

it("generates no key if the results cannot be opened, so that none is lost", async () => {
  const dataDir = await newDirectory();
  await expect(createServer({ dataDir, results: "s3://bucket?endpoint=none" })).rejects.toThrow("Invalid address");
  const store = openSqliteStore(join(dataDir, "quern.db"));
  expect(await store.keys.all()).toEqual([]);
  await store.close();
});
