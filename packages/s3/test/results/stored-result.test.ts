import { readFile, rm } from "node:fs/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { partFor } from "../../src/results/fetch.ts";
import { describeResult, segmentsOf } from "../../src/results/stored-result.ts";
import { readLocalResult, uploadResult } from "../../src/results/upload.ts";
import { query, temporaryDirectory, writeResult } from "../fixture.ts";
import { type MemoryObject, memoryAnswer, scriptedStorage, storageError } from "../scripted-storage.ts";

let directory: string;
let path: string;
let large: string;
beforeAll(async () => {
  directory = await temporaryDirectory();
  path = (await writeResult(directory, "SELECT range AS c0 FROM range(3)", 3)).path;
  // Row groups of about 150 KB.
  large = (await writeResult(directory, "SELECT hash(range) AS c0 FROM range(200000)", 200_000)).path;
});
afterAll(() => rm(directory, { recursive: true }));

let objects: Map<string, MemoryObject>;
let storage: ReturnType<typeof scriptedStorage>;
beforeEach(() => {
  objects = new Map();
  storage = scriptedStorage(memoryAnswer(objects));
});

const labels = { columns: ["a name"], checksum: "0123abcd", committer: "me" };
const put = async (file: string, change = {}) =>
  uploadResult(storage, "key", await readLocalResult(file), { ...labels, ...change });

describe("an uploaded result", () => {
  it("has the names of its columns, and labels beside it", async () => {
    await put(path);
    const [, { Body: _, ...request } = {}] = storage.requests[0] ?? [];
    expect(request).toEqual({
      Bucket: "bucket",
      Key: "key",
      IfNoneMatch: "*",
      ContentType: "application/vnd.apache.parquet",
      Metadata: { "quern-committer": "me", "quern-crc32": "0123abcd", "quern-columns": "named" },
    });
    const described = await describeResult(storage, "key");
    const whole = await readFile(path);
    expect(described).toMatchObject({ key: "key", isNamed: true, checksum: "0123abcd", etag: '"0"' });
    expect(Buffer.concat([described?.values ?? Buffer.alloc(0), described?.localEnd ?? Buffer.alloc(0)])).toEqual(
      whole,
    );
    expect(described?.segments).toEqual([{ firstRow: 0, rowCount: 3, start: 4, end: described?.valuesEnd }]);
    expect(storage.requests.at(-1)).toEqual(["GetObject", { Bucket: "bucket", Key: "key", Range: "bytes=-1048576" }]);
  });

  it("is stored as it is if it has another number of columns", async () => {
    await put(path, { columns: ["a", "b"] });
    const bytes = await readFile(path);
    expect(objects.get("key")).toMatchObject({ bytes, Metadata: { "quern-columns": "numbered" } });
    expect(await describeResult(storage, "key")).toEqual({
      key: "key",
      etag: '"0"',
      checksum: "0123abcd",
      isNamed: false,
      values: bytes,
      valuesEnd: bytes.length,
      localEnd: Buffer.alloc(0),
      segments: [],
    });
  });

  it("does not replace one of another server", async () => {
    await put(path);
    await put(path); // its own, whose answer may have been lost
    await expect(put(path, { committer: "other" })).rejects.toThrow("The result key is stored already.");
  });

  it("is described without its values if it is large", async () => {
    await put(large);
    const described = await describeResult(storage, "key");
    expect(described?.values).toBeUndefined();
    const groups = await query(`SELECT row_group_num_rows FROM parquet_metadata('${large}') ORDER BY row_group_id`);
    const { segments = [], valuesEnd = 0 } = described ?? {};
    expect(segments.reduce((sum, { rowCount }) => sum + rowCount, 0)).toBe(200_000);
    expect(segments.length).toBeLessThan(groups.length);
    expect([segments[0]?.start, segments.at(-1)?.end]).toEqual([4, valuesEnd]);
    expect(storage.requests).toHaveLength(2);
  });
});

/** Bytes of an object that ends as a Parquet file does, without names. */
const unnamed = (footerBytes: number, valueBytes = 4): Buffer => {
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footerBytes);
  return Buffer.concat([Buffer.alloc(valueBytes), length, Buffer.from("PAR1")]);
};

describe("an object", () => {
  it("that does not exist is no result, and other errors are errors", async () => {
    expect(await describeResult(storage, "missing")).toBeUndefined();
    const refusing = scriptedStorage(() => {
      throw storageError("AccessDenied", 403);
    });
    await expect(describeResult(refusing, "key")).rejects.toThrow("AccessDenied");
  });

  it.each([
    ["without bytes", Buffer.alloc(0)],
    ["without an end", Buffer.from("no Parquet file")],
    ["with a footer longer than it", unnamed(1)],
  ])("%s is an invalid result", async (_, bytes) => {
    objects.set("key", { bytes, etag: '"1"' });
    await expect(describeResult(storage, "key")).rejects.toThrow("Invalid result key: it is no complete Parquet file.");
  });

  it("of at least 12 bytes is a result", async () => {
    objects.set("key", { bytes: unnamed(0), etag: '"1"' });
    expect(await describeResult(storage, "key")).toMatchObject({ valuesEnd: 12, checksum: undefined });
    objects.set("key", { bytes: unnamed(1, 5), etag: '"1"' });
    expect(await describeResult(storage, "key")).toMatchObject({ valuesEnd: 13 });
    objects.set("key", { bytes: unnamed(0, 1_048_569), etag: '"1"' });
    expect(await describeResult(storage, "key")).toMatchObject({ valuesEnd: 1_048_577, values: undefined });
  });

  it("with a footer beyond the end that is read first has the rest read", async () => {
    await put(path);
    const { bytes, etag, Metadata } = objects.get("key") ?? { bytes: Buffer.alloc(0), etag: "" };
    const first = scriptedStorage((command, input, before) => {
      const answer = memoryAnswer(objects);
      return before === 0 ? answer(command, { ...input, Range: "bytes=-20" }, before) : answer(command, input, before);
    });
    objects.set("key", { bytes, etag, Metadata });
    const described = await describeResult(first, "key");
    expect(described).toEqual({ ...(await describeResult(storage, "key")), values: undefined });
    expect(first.requests[1]?.[1]).toMatchObject({
      IfMatch: etag,
      Range: `bytes=${described?.valuesEnd}-${bytes.length - 9}`,
    });
  });
});

describe("a local result", () => {
  it("is read with its footer", async () => {
    const bytes = await readFile(path);
    const valuesEnd = bytes.length - 8 - bytes.readUInt32LE(bytes.length - 8);
    expect(await readLocalResult(path)).toMatchObject({
      path,
      bytes: bytes.length,
      valuesEnd,
      footer: { rowCount: 3, columnCount: 1 },
    });
  });
});

describe("segments", () => {
  const group = (firstRow: number, start: number, end: number) => ({ firstRow, rowCount: 10, start, end });
  const mebibyte = 1_048_576;

  it("join row groups below 1 MiB with those after them", () => {
    expect(
      segmentsOf([group(0, 4, 3 + mebibyte), group(10, 3 + mebibyte, 4 + mebibyte), group(20, 4 + mebibyte, 9e6)], 9e6),
    ).toEqual([
      { firstRow: 0, rowCount: 20, start: 4, end: 4 + mebibyte },
      { firstRow: 20, rowCount: 10, start: 4 + mebibyte, end: 9e6 },
    ]);
    expect(segmentsOf([], 4)).toEqual([]);
  });

  it.each([
    ["begins before the values", [group(0, 3, 9)], 9],
    ["ends after the values", [group(0, 4, 9)], 8],
    ["begins before the end of another", [group(0, 4, 9), group(10, 8, 12)], 12],
  ])("are none if one %s", (_, groups, valuesEnd) => expect(segmentsOf(groups, valuesEnd)).toEqual([]));
});

describe("the part of a result with some rows", () => {
  const segments = [0, 1, 2, 3].map((index) => ({
    firstRow: index * 10,
    rowCount: 10,
    start: 4 + index * 100,
    end: 4 + (index + 1) * 100,
  }));
  const result = {
    key: "key",
    etag: "",
    isNamed: true,
    checksum: undefined,
    values: undefined,
    valuesEnd: 404,
    localEnd: Buffer.alloc(50),
    segments,
  };
  const whole = { part: "whole", bytes: 454, range: { start: 0, end: 404 } };
  const part = (start: number, end: number) => ({
    part: `${start}-${end}`,
    bytes: end - start + 50 + 16_384,
    range: { start, end },
  });

  it.each([
    ["the first rows", { first: 0, count: 10 }, part(4, 104)],
    ["the last row of a segment and the next one", { first: 9, count: 2 }, part(4, 204)],
    ["the rows of one segment", { first: 10, count: 10 }, part(104, 204)],
    ["no row", { first: 20, count: 0 }, part(204, 304)],
    ["rows beyond the end", { first: 39, count: 100 }, part(304, 404)],
    ["rows after the end", { first: 40, count: 1 }, part(304, 404)],
    ["most rows", { first: 0, count: 21 }, whole],
    ["all rows", undefined, whole],
  ])("has the segments of %s", (_, rows, expected) => expect(partFor(result, rows)).toEqual(expected));

  it("is the whole result if it has no segments", () => {
    expect(partFor({ ...result, segments: [] }, { first: 0, count: 1 })).toEqual(whole);
  });
});
