import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { writePart } from "../../src/results/fetch.ts";
import { type MemoryObject, memoryAnswer, scriptedStorage } from "../scripted-storage.ts";

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "quern-fetch-"));
  path = join(directory, "part");
});
afterEach(() => rm(directory, { recursive: true }));

const text = "PAR1abcdefgh";
const checksum = crc32(`${text}end`).toString(16).padStart(8, "0");
const result = {
  key: "key",
  etag: '"1"',
  isNamed: true,
  checksum,
  segments: [],
  valuesEnd: text.length,
  localEnd: Buffer.from("end"),
  values: undefined,
};
const whole = { part: "whole", bytes: 15, range: { start: 0, end: 12 } };
const middle = { part: "6-10", bytes: 15, range: { start: 6, end: 10 } };
const holes = "PAR1\0\0cdef\0\0end";

function storageOf() {
  const objects = new Map<string, MemoryObject>([["key", { bytes: Buffer.from(`${text}names`), etag: '"1"' }]]);
  return scriptedStorage(memoryAnswer(objects));
}

it("writes the whole result with the end that has no names", async () => {
  expect(await writePart(storageOf(), result, whole, path)).toBe(checksum);
  expect(await readFile(path, "utf8")).toBe(`${text}end`);
  await expect(writePart(storageOf(), result, whole, path)).rejects.toThrow("EEXIST");
});

it("writes a range at its offset, with the first bytes of a Parquet file and a hole before and after it", async () => {
  const storage = storageOf();
  await writePart(storage, result, middle, path);
  expect(await readFile(path, "latin1")).toBe(holes);
  expect(storage.requests.map(([, { Range }]) => Range)).toEqual(["bytes=6-9"]);
});

it("fetches only the rest of a range whose start is cached", async () => {
  const cachedPath = join(directory, "cached");
  await writeFile(cachedPath, text.slice(0, 8));
  const storage = storageOf();
  const file = { path: cachedPath, release: async () => {} };
  await writePart(storage, result, middle, path, { file, range: { start: 4, end: 8 } });
  expect(await readFile(path, "latin1")).toBe(holes);
  expect(storage.requests.map(([, { Range }]) => Range)).toEqual(["bytes=8-9"]);
});

it("writes the values that came with the description, without a request", async () => {
  const storage = storageOf();
  const described = { ...result, values: Buffer.from(text) };
  expect(await writePart(storage, described, whole, path)).toBe(checksum);
  expect(await readFile(path, "utf8")).toBe(`${text}end`);
  await rm(path);
  await writePart(storage, described, middle, path);
  expect(await readFile(path, "latin1")).toBe(holes);
  expect(storage.requests).toEqual([]);
});

it("refuses a whole result with another checksum, but no part and no result without one", async () => {
  const damaged = { ...result, checksum: "00000000" };
  await expect(writePart(storageOf(), damaged, whole, path)).rejects.toThrow(
    `Damaged result key: its checksum is ${checksum}, expected 00000000.`,
  );
  await rm(path);
  await writePart(storageOf(), damaged, middle, path);
  await rm(path);
  expect(await writePart(storageOf(), { ...result, checksum: undefined }, whole, path)).toBe(checksum);
});
