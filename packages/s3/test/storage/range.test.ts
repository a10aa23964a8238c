import { mkdtemp, open, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { crc32 } from "node:zlib";
import { UnavailableError } from "@quern/adapter";
import { afterAll, beforeEach, describe, expect, it, vi } from "vitest";
import { bodyOf, type Request, scriptedStorage, storageError } from "../scripted-storage.ts";

/** Pauses before further requests, in milliseconds. They pass at once. */
const pauses: number[] = [];
vi.mock("node:timers/promises", () => ({ setTimeout: async (ms: number) => void pauses.push(ms) }));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());
const { fetchRange, readRange } = await import("../../src/storage/range.ts");

beforeEach(() => void pauses.splice(0));

const object = { key: "a/b", etag: '"1"' };
const broken = Object.assign(new Error("aborted"), { code: "ECONNRESET" });
const rangesOf = (requests: readonly Request[]) => requests.map(([, { Range }]) => Range);

/** Storage whose answers have these chunks, and break after them if they end with an error. */
const storageOf = (...answers: readonly (readonly (string | Error)[])[]) =>
  scriptedStorage((_command, _input, before) => {
    const answer = answers[before] ?? [];
    const [first] = answer;
    if (first instanceof Error) throw first;
    const error = answer.find((each) => each instanceof Error);
    return {
      Body: bodyOf(
        answer.filter((each) => typeof each === "string"),
        error,
      ),
    };
  });

it("reads a range of the object that is known", async () => {
  const storage = storageOf(["ab", "c"]);
  expect((await readRange(storage, object, { start: 5, end: 8 })).toString()).toBe("abc");
  expect(storage.requests).toEqual([
    ["GetObject", { Bucket: "bucket", Key: "a/b", IfMatch: '"1"', Range: "bytes=5-7" }],
  ]);
  expect(await readRange(storage, object, { start: 5, end: 5 })).toHaveLength(0);
  expect(storage.requests).toHaveLength(1);
});

it("writes a range at its offset, and returns its checksum", async () => {
  const directory = await mkdtemp(join(tmpdir(), "quern-range-"));
  const path = join(directory, "file");
  const file = await open(path, "wx");
  const crc = await fetchRange(storageOf(["ab", "cd"]), object, { start: 3, end: 7 }, file);
  await file.close();
  expect(await readFile(path, "latin1")).toBe("\0\0\0abcd");
  expect(crc).toBe(crc32("abcd"));
  await rm(directory, { recursive: true });
});

describe("a broken connection", () => {
  it("is continued where it ended, four times without a byte, after pauses that double", async () => {
    const storage = storageOf(["ab", broken], [broken], [broken], [broken], ["c", broken], ["d"]);
    expect((await readRange(storage, object, { start: 0, end: 4 })).toString()).toBe("abcd");
    expect(rangesOf(storage.requests)).toEqual([
      "bytes=0-3",
      "bytes=2-3",
      "bytes=2-3",
      "bytes=2-3",
      "bytes=2-3",
      "bytes=3-3",
    ]);
    expect(pauses).toEqual([500, 1_000, 2_000, 4_000, 500]);
  });

  it("that breaks a fifth time is an error", async () => {
    const storage = storageOf(["ab", broken], [broken], [broken], [broken], [broken], ["cd"]);
    await expect(readRange(storage, object, { start: 0, end: 4 })).rejects.toBe(broken);
    expect(storage.requests).toHaveLength(5);
  });

  it("before the first byte is an error, since the client itself has repeated the request", async () => {
    const storage = storageOf([broken], ["abcd"]);
    await expect(readRange(storage, object, { start: 0, end: 4 })).rejects.toBe(broken);
    expect(pauses).toEqual([]);
  });

  it.each([storageError("NoSuchKey", 404), storageError("PreconditionFailed", 412)])(
    "is not continued in another object: %s",
    async (error) => {
      const storage = storageOf(["ab", broken], [error], ["cd"]);
      await expect(readRange(storage, object, { start: 0, end: 4 })).rejects.toBe(error);
      expect(storage.requests).toHaveLength(2);
    },
  );
});

it("continues an answer that is too short, and refuses one that is too long", async () => {
  const short = storageOf(["ab"], ["cd"]);
  expect((await readRange(short, object, { start: 0, end: 4 })).toString()).toBe("abcd");
  await expect(readRange(storageOf([]), object, { start: 0, end: 4 })).rejects.toThrow(
    new UnavailableError("The object storage sent less of a/b than requested."),
  );
  await expect(readRange(storageOf(["abcde"]), object, { start: 0, end: 4 })).rejects.toThrow(
    new UnavailableError("The object storage sent more of a/b than requested."),
  );
});
