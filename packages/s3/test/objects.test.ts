import { readdir, readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeEach, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "./fixture.ts";
import { type MemoryObject, memoryAnswer, scriptedStorage, storageError } from "./scripted-storage.ts";

let storage: ReturnType<typeof scriptedStorage>;
vi.mock("../src/storage/storage.ts", () => ({
  openStorage: (address: object) => {
    const destroy = vi.spyOn(storage.client, "destroy");
    return { ...storage, address, destroy };
  },
}));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { fetchObjects } = await import("../src/objects.ts");

let objects: Map<string, MemoryObject>;
/** Called before each request. It can throw the error of the storage. */
let before: (command: string) => void;
let directory: string;
beforeEach(async () => {
  objects = new Map();
  before = () => {};
  storage = scriptedStorage((command, input, count) => {
    before(command);
    const answer = memoryAnswer(objects)(command, input, count);
    if (command !== "ListObjectsV2") return answer;
    const keys = [...objects].filter(([key]) => key.startsWith(String(input.Prefix)));
    return { Contents: keys.map(([Key, { bytes, etag }]) => ({ Key, Size: bytes.length, ETag: etag })) };
  });
  directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
});

const put = (...keys: readonly string[]) => {
  for (const key of keys) objects.set(key, { bytes: Buffer.from(key), etag: `"${key}"` });
};
const copied = async () =>
  Promise.all(
    (await readdir(directory)).toSorted().map(async (name) => [name, await readFile(join(directory, name), "utf8")]),
  );
const all = () => true;

it("copies the object with the key, and no others that begin with it", async () => {
  put("a/b", "a/b/c.csv", "a/b.csv");
  expect(await fetchObjects("s3://bucket/a/b", directory, all)).toBe(1);
  expect(await copied()).toEqual([["1", "a/b"]]);
  expect(storage.client.destroy).toHaveBeenCalledTimes(1);
});

it("copies the accepted objects of a folder, with up to two endings of their names", async () => {
  put("a/x.csv.gz", "a/y.tar.csv.gz", "a/z.PARQUET", "a/sub/", "ab/c.csv", "a/w.csv", "a/v.c3v");
  const seen: string[] = [];
  const accepts = (key: string): boolean => {
    seen.push(key);
    return key !== "a/w.csv";
  };
  expect(await fetchObjects("s3://bucket/a/", directory, accepts)).toBe(4);
  expect(seen).toEqual(["a/x.csv.gz", "a/y.tar.csv.gz", "a/z.PARQUET", "a/w.csv", "a/v.c3v"]);
  expect(await copied()).toEqual([
    ["1.csv.gz", "a/x.csv.gz"],
    ["2.csv.gz", "a/y.tar.csv.gz"],
    ["3.PARQUET", "a/z.PARQUET"],
    ["4", "a/v.c3v"],
  ]);
});

it("copies all objects of a bucket", async () => {
  put("x.csv", "a/y.csv");
  expect(await fetchObjects("s3://bucket", directory, all)).toBe(2);
  expect(storage.requests[0]).toEqual(["ListObjectsV2", { Bucket: "bucket", Prefix: "" }]);
});

it("fails without an object, but not without an accepted one", async () => {
  await expect(fetchObjects("s3://bucket/a", directory, all)).rejects.toThrow(
    "No object found: s3://bucket/a; name an object, or a folder of objects without a wildcard.",
  );
  put("a/b.txt");
  expect(await fetchObjects("s3://bucket/a", directory, () => false)).toBe(0);
});

it.each([
  [
    "PreconditionFailed",
    412,
    "Object changed while it was read: a/b in s3://bucket; repeat the load when it is complete.",
  ],
  ["NoSuchKey", 404, "Object changed while it was read: a/b in s3://bucket; repeat the load when it is complete."],
  ["AccessDenied", 403, "Access to s3://bucket/a/b at AWS denied: AccessDenied"],
])("fails if the object cannot be read: %s", async (code, status, message) => {
  put("a/b");
  before = (command) => {
    if (command === "GetObject") throw storageError(code, status);
  };
  await expect(fetchObjects("s3://bucket/a/b", directory, all)).rejects.toThrow(message);
  expect(storage.client.destroy).toHaveBeenCalledTimes(1);
});
