import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ResultStore, SourceFiles } from "@quern/adapter";
import { parquetRowCount } from "@quern/duckdb";
import { expect, it, onTestFinished, vi } from "vitest";
import { examineStorage } from "../../src/adapters/examination.ts";
import { rememberAddress, resultIdentity } from "../../src/adapters/result-identity.ts";
import { openResults, openServiceResults } from "../../src/adapters/results.ts";
import { fetchObjects, openSources } from "../../src/adapters/sources.ts";
import { openStore } from "../../src/adapters/store.ts";
import { abandonResults } from "../../src/administration/abandon-results.ts";
import { listSources, removeFromSource } from "../../src/administration/sources.ts";
import { openStoreAt, targetFlags } from "../../src/administration/storage-locations.ts";
import type { Closer } from "../../src/common/closers.ts";
import { openSharedBucket } from "../../src/sources/configured-sources.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { openFilesIn } from "../fixture.ts";
import { installPackages } from "./fake-packages.ts";

const store = "postgres://quern@db/quern";
const bucket = "s3://bucket/prefix";
const log = { error: () => {} };
const passwordPlace = "the variable QUERN_STORE_PASSWORD, or in the file of the setting storePasswordFile";

it("opens a shared store with its password, and a delay of a third of a lease", async () => {
  const createStore = vi.fn(async (_: object) => "store");
  const folder = await installPackages({ "@quern/postgres": { createStore } });
  const storePasswordFile = join(folder, "password");
  await writeFile(storePasswordFile, "one\ntwo\r\n");
  const open = (options: object) => openStore({ store, ...options }, { path: ":memory:" }, log);
  expect(await open({})).toBe("store");
  await open({ storePasswordFile, leaseSeconds: 3 });
  await open({ storePassword: "given", storePasswordFile });
  const rest = { url: store, passwordPlace, onError: log.error };
  expect(createStore.mock.calls.map(([options]) => options)).toEqual([
    { ...rest, reclaimDelayMs: 10_000 },
    { ...rest, reclaimDelayMs: 1_000, password: "one\ntwo" },
    { ...rest, reclaimDelayMs: 10_000, password: "given" },
  ]);
  expect(Object.keys(createStore.mock.calls[0]?.[0] ?? {})).not.toContain("password");
});

it("opens the store to which a service moves with its password, and names the flags of the command", async () => {
  const createStore = vi.fn(async (_: object) => ({ close: async () => {} }));
  await installPackages({ "@quern/postgres": { createStore } });
  const opened: Closer[] = [];
  await openStoreAt({ address: store }, { storePassword: "given" }, opened, targetFlags);
  expect(createStore.mock.calls).toMatchObject([
    [{ url: store, password: "given", passwordPlace: "the file of the flag --to-store-password-file" }],
  ]);
  expect(opened).toHaveLength(1);
});

const directory = { results: "/nowhere", resultCache: () => "/cache" };

it("opens results in a bucket with the identity of the service, whose store then knows the address", async () => {
  const check = vi.fn();
  const createResultStore = vi.fn(async (_: object) => ({ check }));
  await installPackages({ "@quern/s3": { createResultStore } });
  const rest = { url: bucket, cacheDirectory: "/cache", rowCountOf: parquetRowCount };
  const caching = { maxCacheBytes: 10_000_000_000, isReadableForAll: false };
  await (await openResults({ results: bucket }, directory, false, undefined)).check();
  expect(check).toHaveBeenCalledOnce();
  const { settings } = openSqliteStore(":memory:");
  const set = vi.spyOn(settings, "set");
  const options = { results: bucket, maxResultCacheBytes: 7 };
  const { serviceId } = await resultIdentity(settings);
  await openServiceResults(options, directory, true, settings);
  await openServiceResults(options, directory, true, settings);
  const identity = { serviceId, claims: true, maxCacheBytes: 7, isReadableForAll: true };
  expect(createResultStore.mock.calls.map(([given]) => given)).toEqual([
    { ...rest, ...caching },
    { ...rest, ...identity, previousUrl: undefined },
    { ...rest, ...identity, previousUrl: bucket },
  ]);
  expect(set.mock.calls).toEqual([["resultStoreAddress", JSON.stringify(bucket)]]);
});

it("opens no results in a data directory while a bucket has them, and uses given ones as they are", async () => {
  const { settings } = openSqliteStore(":memory:");
  const results = {} as ResultStore;
  expect(await openServiceResults({ results }, directory, false, settings)).toBe(results);
  expect(await openResults({ results }, directory, false, undefined)).toBe(results);
  expect(await settings.get("resultStoreId")).toBeUndefined();
  await rememberAddress(settings, bucket);
  await expect(openServiceResults({}, directory, false, settings)).rejects.toThrow(
    `Missing setting results: this service has its results in ${bucket}; set it, or move them`,
  );
});

/** Returns files of sources in a bucket without an index. */
function sourceFiles(change: Partial<SourceFiles> = {}): SourceFiles {
  const none = async (): Promise<undefined> => undefined;
  const sweeps = { sweepCopies: async () => {}, sweep: async () => {}, close: vi.fn(async () => {}) };
  const added = { replaceIndex: async () => true, add: async () => ({ name: "", bytes: 0, checksum: "" }) };
  return { address: bucket, maxCopyBytes: 7, index: none, open: none, ...added, ...sweeps, ...change };
}

it("opens sources in a bucket, and copies objects", async () => {
  const [openSourceFiles, copied] = [vi.fn(async (_: object) => "files"), vi.fn(async () => 7)];
  await installPackages({ "@quern/s3": { openSourceFiles, fetchObjects: copied } });
  expect(await openSources(bucket, { directory: "/copies", maxBytes: 7, isReadableForAll: true })).toBe("files");
  expect(openSourceFiles.mock.calls).toEqual([
    [{ url: bucket, cacheDirectory: "/copies", maxCacheBytes: 7, isReadableForAll: true }],
  ]);
  await expect(openSources("s3", { directory: "", maxBytes: 7, isReadableForAll: true })).rejects.toThrow(
    "Invalid setting sources",
  );
  const accepts = () => true;
  expect(await fetchObjects("s3://bucket/a", "/copies", accepts)).toBe(7);
  expect(copied.mock.calls).toEqual([["s3://bucket/a", "/copies", accepts]]);
});

it("opens the sources of a server in a bucket only if the setting has an address", async () => {
  const openSourceFiles = vi.fn(async (_: object) => sourceFiles());
  await installPackages({ "@quern/s3": { openSourceFiles } });
  const surroundings = { cache: () => "/cache", isReadableForAll: true, log };
  const open = (settings: object) => openSharedBucket({ dataDir: "/nowhere", ...settings }, surroundings);
  expect(await open({})).toBeUndefined();
  expect(await open({ sources: [] })).toBeUndefined();
  const shared = [await open({ sources: bucket }), await open({ sources: bucket, maxSourceCacheBytes: 7 })];
  for (const each of shared) await each?.close();
  const rest = { url: bucket, cacheDirectory: "/cache", isReadableForAll: true };
  expect(openSourceFiles.mock.calls).toEqual([
    [{ ...rest, maxCacheBytes: 10_000_000_000 }],
    [{ ...rest, maxCacheBytes: 7 }],
  ]);
});

it("examines the sources in a bucket", async () => {
  const files = sourceFiles();
  await installPackages({ "@quern/s3": { openSourceFiles: async () => files } });
  expect(await examineStorage({ sources: bucket })).toEqual([
    { name: "sources", isReachable: true, meaning: "The bucket of the data sources can be read." },
  ]);
  expect(files.close).toHaveBeenCalledOnce();
});

it("reports errors of a bucket to operators, closes its files, and removes the copies", async () => {
  const index = vi.fn<SourceFiles["index"]>(async () => undefined);
  const files = sourceFiles({ index });
  const openSourceFiles = vi.fn(async (_: object) => files);
  const folder = await installPackages({ "@quern/s3": { openSourceFiles } });
  vi.stubEnv("TMPDIR", join(folder, "tmp"));
  onTestFinished(() => void vi.unstubAllEnvs());
  await mkdir(join(folder, "tmp"));
  const list = () => listSources({ dataDir: folder, bucket });
  expect(await list()).toEqual([]);
  expect(openSourceFiles.mock.calls[0]).toMatchObject([
    { url: bucket, maxCacheBytes: Number.POSITIVE_INFINITY, isReadableForAll: false },
  ]);
  index.mockRejectedValueOnce(new Error("wrong access key"));
  await expect(list()).rejects.toMatchObject({ name: "SourceError", message: "wrong access key" });
  const full = Object.assign(new Error("full"), { code: "ENOSPC" });
  index.mockRejectedValueOnce(full);
  await expect(list()).rejects.toBe(full);
  openSourceFiles.mockRejectedValueOnce(new Error("no bucket"));
  await expect(list()).rejects.toMatchObject({ name: "SourceError", message: "no bucket" });
  expect(files.close).toHaveBeenCalledTimes(3);
  expect(await readdir(join(folder, "tmp"))).toEqual([]);
});

it("removes a source of a bucket from its index, and reports an index that cannot be replaced", async () => {
  const manifest = { version: "1-0a0a0a0a", catalogs: [], loads: [] };
  const before = { text: JSON.stringify({ format: 1, sources: { shop: manifest } }), version: "1" };
  const replaceIndex = vi.fn<SourceFiles["replaceIndex"]>(async () => true);
  const files = sourceFiles({ index: async () => before, replaceIndex });
  const folder = await installPackages({ "@quern/s3": { openSourceFiles: async () => files } });
  const remove = () => removeFromSource({ dataDir: folder, bucket, source: "shop" });
  await remove();
  const [known, text] = replaceIndex.mock.calls[0] ?? [];
  expect([known, JSON.parse(text ?? "")]).toEqual([before, { format: 1, sources: {} }]);
  replaceIndex.mockRejectedValueOnce(new Error("read only"));
  await expect(remove()).rejects.toMatchObject({ name: "SourceError", message: "read only" });
});

it("claims an empty bucket for a service whose bucket is lost, and no bucket that has its results", async () => {
  const opened = { close: vi.fn(async () => {}) };
  const createResultStore = vi.fn(async (_: object): Promise<unknown> => opened);
  const folder = await installPackages({ "@quern/s3": { createResultStore } });
  const file = join(folder, "quern.db");
  const before = openSqliteStore(file);
  const { serviceId } = await resultIdentity(before.settings);
  await before.close();
  const abandon = () => abandonResults({ dataDir: folder, results: `${bucket}?region=eu` });
  await expect(abandon()).rejects.toThrow(`${bucket} has the results of this service; nothing was changed`);
  createResultStore.mockRejectedValueOnce(new Error("empty"));
  expect(await abandon()).toBe(bucket);
  const after = openSqliteStore(file);
  const adopted = await resultIdentity(after.settings);
  await after.close();
  expect(adopted.serviceId).not.toBe(serviceId);
  expect(adopted.previousUrl).toBe(`${bucket}?region=eu`);
  const known = { serviceId, claims: false, previousUrl: `${bucket}?region=eu` };
  expect(createResultStore.mock.calls).toMatchObject([
    [known],
    [known],
    [
      {
        serviceId: adopted.serviceId,
        claims: true,
        previousUrl: undefined,
        maxCacheBytes: 1_000_000_000,
        isReadableForAll: false,
      },
    ],
  ]);
  expect([opened.close.mock.calls.length, await openFilesIn(folder)]).toEqual([2, []]);
});
