import { mkdir, readdir, rm } from "node:fs/promises";
import { join, resolve } from "node:path";
import type { Store } from "@quern/adapter";
import { afterEach, beforeEach, expect, it } from "vitest";
import { rememberAddress, resultAddress } from "../../src/adapters/result-identity.ts";
import { settingNames } from "../../src/adapters/storage-options.ts";
import { abandonResults } from "../../src/administration/abandon-results.ts";
import { AdministrationError } from "../../src/administration/open-directory.ts";
import {
  addressOf,
  locationsOf,
  lockDirectories,
  nameOf,
  openResultsAt,
  openStoreAt,
  refuseServers,
  targetFlags,
  workDirectory,
} from "../../src/administration/storage-locations.ts";
import type { Closer } from "../../src/common/closers.ts";
import { lockDataDirectory } from "../../src/common/data-directory.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { openFilesIn, temporaryDirectory } from "../fixture.ts";

let folder: string;
let opened: Closer[];
beforeEach(async () => {
  folder = await temporaryDirectory();
  opened = [];
});
afterEach(async () => {
  await closeAll();
  await rm(folder, { recursive: true });
});

async function closeAll(): Promise<void> {
  for (const close of opened.splice(0).toReversed()) await close();
}

/** Creates a data directory whose store remembers the address of its results. */
async function createDirectory(name: string, address?: string): Promise<string> {
  const dataDir = join(folder, name);
  await mkdir(dataDir);
  const store = openSqliteStore(join(dataDir, "quern.db"));
  if (address !== undefined) await rememberAddress(store.settings, address);
  await store.close();
  return dataDir;
}

const store = "postgres://quern@db/quern";
const results = "s3://bucket/prefix";
const at = (dataDir: string) => ({ dataDir: resolve(dataDir) });

it.each([
  [{}, { dataDir: "b" }, [at("a"), at("a"), at("b"), at("b")]],
  [{}, { store, results }, [at("a"), at("a"), { address: store }, { address: results }]],
  [{ store, results }, { dataDir: "b" }, [{ address: store }, { address: results }, at("b"), at("b")]],
  [{ results }, { dataDir: "b", results }, [at("a"), { address: results }, at("b"), { address: results }]],
  [{}, { results }, [at("a"), at("a"), at("a"), { address: results }]],
  [{}, undefined, [at("a"), at("a"), at("a"), at("a")]],
])("finds the locations of a service with %j that moves to %j", (source, target, locations) => {
  const { sourceStore, sourceResults, targetStore, targetResults } = locationsOf({ dataDir: "a", ...source }, target);
  expect([sourceStore, sourceResults, targetStore, targetResults]).toEqual(locations);
});

it("refuses a target that is the source, and a shared store without shared results", () => {
  expect(() => locationsOf({ dataDir: "a" }, { dataDir: "./a" })).toThrow(
    "the target is the source; name another one in --to-store, --to-results or --to-data-dir",
  );
  expect(() => locationsOf({ dataDir: "a" }, { store })).toThrow("missing --to-results: servers of a shared store");
  expect(() => locationsOf({ dataDir: "a", store })).toThrow("missing setting results: servers of a shared store");
});

it("names locations without users and parameters", () => {
  expect(nameOf({ dataDir: "/a" })).toBe("the data directory /a");
  expect(nameOf({ address: `${store}?sslmode=require` })).toBe("postgres://db/quern");
  expect(nameOf({ address: "s3://bucket/prefix?endpoint=https://a.example" })).toBe("s3://bucket/prefix");
  expect([addressOf({ dataDir: "/a" }), addressOf({ address: store })]).toEqual([undefined, store]);
});

it("locks each directory once, works in that of the target, and creates it", async () => {
  const [source, target] = [await createDirectory("source"), join(folder, "target")];
  const locations = locationsOf({ dataDir: source }, { dataDir: target });
  const directories = lockDirectories(locations, opened, false);
  expect([...directories.keys()]).toEqual([target, source]);
  expect(opened).toHaveLength(2);
  expect(await workDirectory(directories, opened)).toBe(directories.get(target)?.work);
  expect(() => lockDirectories(locations, [], false)).toThrow(AdministrationError);
  await closeAll();
  const ofShared = locationsOf({ dataDir: source, store }, { dataDir: target });
  expect([...lockDirectories(ofShared, opened, false).keys()]).toEqual([target, source]);
  await closeAll();
  lockDataDirectory(source).release();
});

it("requires a store in the source, and for a check in the target", async () => {
  const source = await createDirectory("source");
  const locations = locationsOf({ dataDir: source }, { dataDir: join(folder, "target") });
  expect(() => lockDirectories(locations, opened, true)).toThrow(
    `no data directory of Quern: ${join(folder, "target")}; name the one of the service in --to-data-dir`,
  );
  expect(() => lockDirectories(locationsOf({ dataDir: folder }), opened, false)).toThrow(
    `no data directory of Quern: ${folder}; name the one of the service in --data-dir`,
  );
  expect(await openFilesIn(folder)).toEqual([]);
});

it("works in a temporary directory without data directories, and removes it", async () => {
  const work = await workDirectory(new Map(), opened);
  expect(await readdir(work)).toEqual([]);
  await closeAll();
  await expect(readdir(work)).rejects.toThrow("ENOENT");
});

it("opens a store and results, and says what is wrong with those that cannot be opened", async () => {
  const dataDir = await createDirectory("source", results);
  const location = { dataDir };
  expect(await resultAddress((await openStoreAt(location, {}, opened)).settings)).toBe(results);
  const found = await openResultsAt(location, { work: folder, identity: undefined, names: settingNames }, opened);
  expect(await found.check()).toBeUndefined();
  expect(await readdir(dataDir)).toContain("results");
  expect(opened).toHaveLength(2);
  const refused = openStoreAt({ address: "postgres://a:b@c/d" }, {}, opened, targetFlags);
  await expect(refused).rejects.toThrow(
    "Invalid flag --to-store: the address contains a password; remove it, and set it in the file of the flag --to-store-password-file.",
  );
  await expect(refused).rejects.toThrow(AdministrationError);
  const options = { work: folder, identity: undefined, names: targetFlags };
  const unknown = openResultsAt({ address: "ftp://a" }, options, opened);
  await expect(unknown).rejects.toThrow("Invalid flag --to-results: unknown scheme ftp://");
  await expect(unknown).rejects.toThrow(AdministrationError);
  const missing = { storePasswordFile: join(folder, "none") };
  await expect(openStoreAt({ address: store }, missing, opened, targetFlags)).rejects.toThrow(
    "(ENOENT); check the flag --to-store-password-file.",
  );
  await closeAll();
  expect(await openFilesIn(folder)).toEqual([]);
});

it("refuses a shared store that servers use", async () => {
  const shared = (servers: readonly string[], isShared = true) =>
    ({ isShared, servers: async () => servers }) as unknown as Store;
  const location = { address: store };
  expect(await refuseServers([[shared([]), location]])).toBeUndefined();
  expect(await refuseServers([[shared(["one"], false), location]])).toBeUndefined();
  await expect(refuseServers([[shared(["one", "two"]), location]])).rejects.toThrow(
    "servers use postgres://db/quern: one, two; stop them.",
  );
});

it("gives up lost results in favour of the data directory, once", async () => {
  const dataDir = await createDirectory("source", results);
  expect(await abandonResults({ dataDir })).toBe(`the data directory ${dataDir}`);
  const store = openSqliteStore(join(dataDir, "quern.db"));
  expect(await resultAddress(store.settings)).toBeUndefined();
  expect(await store.settings.get("resultStoreId")).toMatch(/^"[0-9a-f-]{36}"$/);
  await store.close();
  await expect(abandonResults(dataDir)).rejects.toThrow(
    `the results are in the data directory ${dataDir}; nothing was changed`,
  );
  expect(await openFilesIn(folder)).toEqual([]);
  const lock = lockDataDirectory(dataDir);
  await expect(abandonResults(dataDir)).rejects.toThrow("is in use by another Quern server or command");
  lock.release();
});
