import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { UnavailableError } from "@quern/adapter";
import type { RunRecord } from "@quern/query-run/record";
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import type { ResultStoreOptions, S3ResultStore } from "../src/result-store.ts";
import { runOf, temporaryDirectory, writeResult } from "./fixture.ts";
import { type MemoryObject, memoryAnswer, scriptedStorage, storageError } from "./scripted-storage.ts";

let storage: ReturnType<typeof scriptedStorage>;
vi.mock("../src/storage/storage.ts", () => ({ openStorage: () => storage }));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { createResultStore } = await import("../src/result-store.ts");

let objects: Map<string, MemoryObject>;
/** Called before each request. It can throw the error of the storage. */
let before: (command: string, key: unknown) => void;
let directory: string;
beforeEach(async () => {
  objects = new Map();
  before = () => {};
  storage = scriptedStorage((command, input, count) => {
    before(command, input.Key);
    return memoryAnswer(objects)(command, input, count);
  });
  directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
});

async function open(change: Partial<ResultStoreOptions> = {}, name = "cache"): Promise<S3ResultStore> {
  const cacheDirectory = join(directory, name);
  await mkdir(cacheDirectory, { recursive: true });
  const rowCountOf = () => Promise.reject(new Error("not needed"));
  const url = "s3://bucket/prefix";
  return createResultStore({ url, cacheDirectory, maxCacheBytes: 1e9, isReadableForAll: false, rowCountOf, ...change });
}

const run = runOf("run_a", { state: "QUERY_STATE_SUCCESS" });
const key = "prefix/results/run_a.1.parquet";
const write = (rows = 3, select = `SELECT range AS c0 FROM range(${rows})`) => writeResult(directory, select, rows);
const commands = () => storage.requests.map(([command]) => command);
const throwing = (name: string, status: number) => () => {
  throw storageError(name, status);
};

describe("a committed result", () => {
  it("is opened from the cache of the server that stored it, without a request", async () => {
    const store = await open();
    const written = await write();
    const bytes = await readFile(written.path);
    const { columns } = written;
    expect(await store.commit(run, written)).toEqual({ columns, rowCount: 3, totalBytes: bytes.length });
    expect(existsSync(written.path)).toBe(false);
    const count = storage.requests.length;
    const opened = await store.open(run);
    expect(await readFile(opened?.paths[0] ?? "")).toEqual(bytes);
    await opened?.release();
    expect(storage.requests).toHaveLength(count);
  });

  it("that the cache has no space for is removed from the disk", async () => {
    const store = await open({ maxCacheBytes: 10 });
    const written = await write();
    await store.commit(run, written);
    expect([existsSync(written.path), await readdir(join(directory, "cache"))]).toEqual([false, []]);
  });

  it("is fetched once by another server, which shares it among its readers", async () => {
    const written = await write();
    const bytes = await readFile(written.path);
    await (await open()).commit(run, written);
    const other = await open({}, "other");
    const opened = await Promise.all([other.open(run), other.open(run, { first: 0, count: 1 })]);
    for (const result of opened) expect(await readFile(result?.paths[0] ?? "")).toEqual(bytes);
    expect(commands().filter((command) => command === "GetObject")).toHaveLength(3); // two of them for the marker
  });

  it("must have all rows that were written", async () => {
    const written = await write(3);
    const commit = (await open()).commit(run, { ...written, rowCount: 4 });
    await expect(commit).rejects.toThrow("the result file has 3 rows, but 4 were written");
    expect(commands()).toEqual(["GetObject"]);
  });

  it("is not replaced", async () => {
    await (await open()).commit(run, await write());
    const written = await write();
    await expect((await open({}, "other")).commit(run, written)).rejects.toMatchObject({ name: "ResultExistsError" });
    expect(existsSync(written.path)).toBe(true);
  });
});

describe("some rows of a large result", () => {
  const large = () => write(640_000, "SELECT hash(range) AS c0 FROM range(640000)");

  it("are fetched as a range, and those after them as the rest of a range", async () => {
    const written = await large();
    const bytes = await readFile(written.path);
    await (await open()).commit(run, written);
    const other = await open({}, "other");
    const first = await other.open(run, { first: 0, count: 10 });
    await first?.release();
    const [file = ""] = await readdir(join(directory, "other"));
    expect(file).toMatch(/^run_a\.1\.[0-9a-f]{8}\.partial$/);
    const second = await other.open(run, { first: 0, count: 150_000 });
    const local = await readFile(second?.paths[0] ?? "");
    await second?.release();
    expect([local.length, local.subarray(0, 1_000_000)]).toEqual([bytes.length, bytes.subarray(0, 1_000_000)]);
    const ranges = storage.requests.flatMap(([, { Range, Key }]) => (Key === key && Range ? [String(Range)] : []));
    const [, middle = ""] = /^bytes=4-(\d+)$/.exec(ranges[1] ?? "") ?? [];
    expect(ranges).toEqual([
      "bytes=-1048576",
      `bytes=4-${middle}`,
      expect.stringMatching(`^bytes=${Number(middle) + 1}-`),
    ]);
    const again = await other.open(run, { first: 5, count: 10 });
    await again?.release();
    expect(again?.paths).toEqual(second?.paths);
    await other.remove(run);
    expect(await readdir(join(directory, "other"))).toEqual([]);
  });
});

describe("a missing result", () => {
  it("is undefined", async () => {
    const store = await open();
    expect(await store.open(run)).toBeUndefined();
    expect(
      await store.downloadUrl(run, { format: "parquet", contentDisposition: "attachment", expiresInSeconds: 60 }),
    ).toBeUndefined();
  });

  it("is one that another server has removed after it was described", async () => {
    const written = await write(400_000, "SELECT hash(range) AS c0 FROM range(400000)");
    await (await open()).commit(run, written);
    const other = await open({}, "other");
    await (await other.open(run, { first: 0, count: 1 }))?.release();
    objects.delete(key);
    expect(await other.open(run, { first: 399_999, count: 1 })).toBeUndefined();
    expect(await readdir(join(directory, "other"))).toHaveLength(1);
  });

  it("is one that was removed, also in the cache, and is never read again", async () => {
    const store = await open();
    await store.commit(run, await write());
    const stored = objects.get(key);
    await store.remove(run);
    expect([objects.has(key), await readdir(join(directory, "cache"))]).toEqual([false, []]);
    if (stored !== undefined) objects.set(key, stored);
    expect(await store.open(run)).toBeUndefined();
  });
});

it("fails with the reason of a damaged object, and describes it again afterwards", async () => {
  await (await open()).commit(run, await write());
  const { bytes, etag, Metadata } = objects.get(key) ?? { bytes: Buffer.alloc(0), etag: "" };
  objects.set(key, { bytes, etag, Metadata: { ...Metadata, "quern-crc32": "00000000" } });
  const other = await open({}, "other");
  await expect(other.open(run)).rejects.toThrow("Damaged result prefix/results/run_a.1.parquet");
  objects.set(key, { bytes, etag, Metadata });
  expect(await other.open(run)).toHaveProperty("paths");
});

describe("sweeps", () => {
  const orphan = runOf("run_b");
  const ownerOf = async (id: string): Promise<RunRecord | undefined> => (id === "run_a" ? run : undefined);

  it("remove results without an owner from the storage and from the cache", async () => {
    const store = await open();
    await store.commit(run, await write());
    await store.commit(orphan, await write());
    await store.sweep(ownerOf);
    expect([...objects.keys()]).toEqual([key]);
    expect(await readdir(join(directory, "cache"))).toEqual([expect.stringMatching(/^run_a\.1\./)]);
  });

  it("of the cache alone send no request", async () => {
    const store = await open();
    await store.commit(run, await write());
    await store.commit(orphan, await write());
    const count = storage.requests.length;
    await store.sweepCache(ownerOf);
    expect([storage.requests.length, objects.size]).toEqual([count, 2]);
    expect(await readdir(join(directory, "cache"))).toHaveLength(1);
  });

  it("remove copies of an earlier start whose result another server has removed", async () => {
    await (await open()).commit(orphan, await write());
    objects.clear();
    await (await open()).sweep(ownerOf);
    expect(await readdir(join(directory, "cache"))).toEqual([]);
  });
});

describe("a link", () => {
  const disposition = `attachment; filename="my__results_.parquet"; filename*=UTF-8''my%20%22%C3%A9%22%20%28%27%2A%29`;
  const link = { format: "parquet", contentDisposition: disposition, expiresInSeconds: 1e9 } as const;

  it("is signed for a named file, for seven days at most", async () => {
    const store = await open();
    await store.commit(run, await write());
    const url = new URL((await store.downloadUrl(run, link)) ?? "");
    expect(url.pathname).toContain(key);
    expect(Object.fromEntries(url.searchParams)).toMatchObject({
      "X-Amz-Expires": "604800",
      "response-content-disposition": disposition,
      "response-content-type": "application/vnd.apache.parquet",
      "response-cache-control": "private, no-store",
    });
    const short = new URL((await store.downloadUrl(run, { ...link, expiresInSeconds: 60 })) ?? "");
    expect(short.searchParams.get("X-Amz-Expires")).toBe("60");
  });

  it("is none for other formats, and for a file without names", async () => {
    const store = await open();
    const written = await write();
    const [column] = written.columns;
    await store.commit(run, { ...written, columns: column === undefined ? [] : [column, column] });
    expect(await store.downloadUrl(run, link)).toBeUndefined();
    const count = storage.requests.length;
    expect(await store.downloadUrl(run, { ...link, format: "csv" })).toBeUndefined();
    expect(storage.requests).toHaveLength(count);
  });
});

describe("a storage that cannot be used", () => {
  it("is an UnavailableError of each operation, without the key of the request", async () => {
    const store = await open();
    before = throwing("InternalError", 500);
    const message = "The object storage s3://bucket/prefix is unavailable: InternalError (500)";
    const link = { format: "parquet", contentDisposition: "attachment", expiresInSeconds: 1 } as const;
    for (const operation of [
      () => store.open(run),
      () => store.remove(run),
      () => store.sweep(async () => undefined),
      () => store.downloadUrl(run, link),
      () => store.check(),
    ])
      await expect(operation()).rejects.toThrow(new UnavailableError(message));
  });

  it("is checked before the next commit, because its bucket may be a new one", async () => {
    const store = await open({ serviceId: "service" });
    before = (command, name) => {
      if (command === "PutObject" && name === key) throw storageError("NoSuchBucket", 404);
    };
    const written = await write();
    await expect(store.commit(run, written)).rejects.toMatchObject({ name: "UnavailableError" });
    before = () => {};
    objects.delete("prefix/quern.json");
    const missing = "The object quern.json in s3://bucket/prefix is missing; restore it.";
    await expect(store.commit(run, written)).rejects.toThrow(new UnavailableError(missing));
    objects.set("prefix/quern.json", { bytes: Buffer.from('{"format":1,"serviceId":"service"}'), etag: '"1"' });
    await store.commit(run, written);
    const reads = () => storage.requests.filter(([, { Key }]) => Key === "prefix/quern.json").length;
    const count = reads();
    await store.commit(runOf("run_b"), await write());
    expect(reads()).toBe(count);
  });

  it("is not checked after a refusal", async () => {
    const store = await open({ serviceId: "service" });
    before = (command, name) => {
      if (command === "PutObject" && name === key) throw storageError("AccessDenied", 403);
    };
    const written = await write();
    await expect(store.commit(run, written)).rejects.toThrow("refuses results: AccessDenied (403)");
    before = () => {};
    objects.delete("prefix/quern.json");
    await store.commit(run, written);
  });

  it("lacks the marker only of a service that claims it", async () => {
    await (await open()).check();
    await (await open({ serviceId: "service", claims: false })).check();
    const store = await open({ serviceId: "service" });
    await store.check();
    objects.clear();
    await expect(store.check()).rejects.toThrow("is missing; restore it");
  });
});

it("closes the client", async () => {
  const destroy = vi.spyOn(storage.client, "destroy");
  await (await open()).close();
  expect(destroy).toHaveBeenCalledTimes(1);
});
