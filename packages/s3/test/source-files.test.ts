import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { type SourceFiles, UnavailableError } from "@quern/adapter";
import { afterAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "./fixture.ts";
import { type MemoryObject, memoryAnswer, scriptedStorage, storageError } from "./scripted-storage.ts";

let storage: ReturnType<typeof scriptedStorage>;
vi.mock("../src/storage/storage.ts", () => ({ openStorage: () => storage }));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { openSourceFiles } = await import("../src/source-files.ts");

let objects: Map<string, MemoryObject>;
/** Called before each request. It can throw the error of the storage. */
let before: (command: string) => void;
let directory: string;
let path: string;
beforeEach(async () => {
  objects = new Map();
  before = () => {};
  storage = scriptedStorage((command, input, count) => {
    before(command);
    return memoryAnswer(objects)(command, input, count);
  });
  directory = await temporaryDirectory();
  onTestFinished(() => rm(directory, { recursive: true }));
  path = join(directory, "file");
  await writeFile(path, "rows");
});

async function open(maxCacheBytes = 1_000): Promise<SourceFiles> {
  const cacheDirectory = join(directory, "cache");
  await mkdir(cacheDirectory, { recursive: true });
  return openSourceFiles({ url: "s3://bucket/prefix", cacheDirectory, maxCacheBytes, isReadableForAll: false });
}

const name = "shop/1-0123abcd.duckdb";
const key = `prefix/sources/${name}`;
const checksum = crc32("rows").toString(16).padStart(8, "0");
const throwing = (code: string, status: number) => () => {
  throw storageError(code, status);
};

it("stores a file with its checksum, and opens a copy that is kept", async () => {
  const files = await open();
  expect([files.address, files.maxCopyBytes]).toEqual(["s3://bucket/prefix", 1_000]);
  const added = await files.add(name, path);
  expect(added).toEqual({ name, bytes: 4, checksum });
  const put = storage.requests.find(([command]) => command === "PutObject");
  expect(put?.[1]).toMatchObject({
    Key: key,
    IfNoneMatch: "*",
    ContentType: "application/octet-stream",
    Metadata: { "quern-crc32": checksum, "quern-writer": expect.stringMatching(/^[0-9a-f-]{36}$/) },
  });
  const opened = await files.open(added);
  expect(await readFile(opened?.path ?? "", "utf8")).toBe("rows");
  await opened?.release();
  const count = storage.requests.length;
  await (await files.open(added))?.release();
  expect(storage.requests).toHaveLength(count);
  const [copy = ""] = await readdir(join(directory, "cache"));
  expect(copy).toMatch(/^shop 1-0123abcd\.duckdb\.[0-9a-f]{8}\.[0-9a-f]{8}\.duckdb$/);
});

it("does not replace a file of another server", async () => {
  await (await open()).add(name, path);
  const message = `The file ${key} in s3://bucket/prefix exists already.`;
  await expect((await open()).add(name, path)).rejects.toThrow(message);
});

it("opens no missing file, and none that does not fit beside those in use", async () => {
  const files = await open(4);
  expect(await files.open({ name, bytes: 4, checksum })).toBeUndefined();
  const added = await files.add(name, path);
  const inUse = await files.open(added);
  vi.spyOn(AbortSignal, "timeout").mockReturnValue(AbortSignal.abort());
  onTestFinished(() => void vi.restoreAllMocks());
  const full = await files.open(await files.add("shop/2-0123abcd.duckdb", path)).catch((error: unknown) => error);
  expect(full).toEqual(
    new Error("The local cache is full: 4 of 4 bytes are in use; if this persists, raise maxSourceCacheBytes."),
  );
  expect(full).not.toBeInstanceOf(UnavailableError);
  await inUse?.release();
});

it("removes the copies and files that are not needed", async () => {
  const files = await open();
  for (const each of [name, "other/1-0123abcd.duckdb"])
    await (await files.open(await files.add(each, path)))?.release();
  await files.sweepCopies((each) => each === name);
  expect(await readdir(join(directory, "cache"))).toEqual([expect.stringMatching(/^shop 1/)]);
  await files.sweep((each) => each === name);
  expect([...objects.keys()]).toEqual([key]);
});

it("reads and replaces the index", async () => {
  const files = await open();
  expect(await files.index()).toBeUndefined();
  expect(await files.replaceIndex(undefined, "first")).toBe(true);
  const first = await files.index();
  expect(first?.text).toBe("first");
  expect(await files.index(first)).toBe(first);
  expect(await files.replaceIndex(first, "second")).toBe(true);
  expect(await files.replaceIndex(first, "third")).toBe(false);
});

describe("a storage that cannot be used", () => {
  it("is refused at the start, without a client that is left", async () => {
    const destroy = vi.spyOn(storage.client, "destroy");
    before = throwing("NoSuchBucket", 404);
    await expect(open()).rejects.toThrow("Unknown bucket: bucket at AWS; create it, or correct the address.");
    expect(destroy).toHaveBeenCalledTimes(1);
    before = () => {
      throw new RangeError("a defect");
    };
    await expect(open()).rejects.toThrow("a defect");
  });

  it.each([
    ["AccessDenied", 403, "Access to s3://bucket/prefix at AWS denied: AccessDenied"],
    ["InternalError", 500, "The object storage s3://bucket/prefix is unavailable: InternalError (500)"],
  ])("fails each operation with its reason: %s", async (code, status, message) => {
    const files = await open();
    before = throwing(code, status);
    const operations = [
      () => files.index(),
      () => files.replaceIndex({ text: "", version: "" }, ""),
      () => files.sweep(() => true),
      () => files.open({ name, bytes: 4, checksum }),
    ];
    for (const operation of operations) await expect(operation()).rejects.toThrow(message);
  });

  it("is reported apart from a local defect", async () => {
    const files = await open();
    before = () => {
      throw new RangeError("a defect");
    };
    await expect(files.index()).rejects.toThrow(new RangeError("a defect"));
    await files.close();
  });
});

it("closes the client", async () => {
  const destroy = vi.spyOn(storage.client, "destroy");
  await (await open()).close();
  expect(destroy).toHaveBeenCalledTimes(1);
});
