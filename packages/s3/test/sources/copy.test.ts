import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { afterEach, beforeEach, expect, it } from "vitest";
import { copySourceFile, MissingFileError } from "../../src/sources/copy.ts";
import { bodyOf, scriptedStorage, storageError } from "../scripted-storage.ts";

let path: string;
let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), "quern-copy-"));
  path = join(directory, "copy");
});
afterEach(() => rm(directory, { recursive: true }));

const checksum = crc32("rows").toString(16).padStart(8, "0");
const file = { name: "shop/1.duckdb", bytes: 4, checksum };
const key = "prefix/sources/shop/1.duckdb";
const storageOf = (text: string, head: object = { ContentLength: text.length, ETag: '"1"' }) =>
  scriptedStorage((command) => (command === "HeadObject" ? head : { Body: bodyOf([text]) }));

it("copies the file that the head describes", async () => {
  const storage = storageOf("rows");
  expect(await copySourceFile(storage, file, path)).toBe(checksum);
  expect(await readFile(path, "utf8")).toBe("rows");
  expect(storage.requests).toEqual([
    ["HeadObject", { Bucket: "bucket", Key: key }],
    ["GetObject", { Bucket: "bucket", Key: key, IfMatch: '"1"', Range: "bytes=0-3" }],
  ]);
});

it.each([
  ["size is 5, expected 4", storageOf("rows!")],
  ["size is 0, expected 4", storageOf("rows", {})],
  [`checksum is ${crc32("ROWS").toString(16)}, expected ${checksum}`, storageOf("ROWS")],
])("refuses a file whose %s", async (what, storage) => {
  await expect(copySourceFile(storage, file, path)).rejects.toThrow(
    `Damaged file of a data source: ${key} in s3://bucket/prefix: its ${what}; remove the source, and add it again.`,
  );
});

it("fails for a missing file, and with any other error", async () => {
  const failing = (name: string, status: number) =>
    scriptedStorage(() => {
      throw storageError(name, status);
    });
  const missing = new MissingFileError(`Missing file of a data source: ${key} in s3://bucket/prefix.`);
  await expect(copySourceFile(failing("NotFound", 404), file, path)).rejects.toThrow(missing);
  await rm(path);
  await expect(copySourceFile(failing("AccessDenied", 403), file, path)).rejects.toThrow("AccessDenied");
  await expect(copySourceFile(storageOf("rows"), file, path)).rejects.toThrow("EEXIST");
});
