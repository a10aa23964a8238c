import { beforeEach, describe, expect, it, vi } from "vitest";
import { createKnownResults, type KnownResults } from "../../src/results/known-results.ts";
import { bodyOf, scriptedStorage, storageError } from "../scripted-storage.ts";

/** Parquet file of the bytes `PAR1`, a footer of one byte and its end. The object does not have names of columns. */
const file = Buffer.concat([Buffer.from("PAR1"), Buffer.from([0, 1, 0, 0, 0]), Buffer.from("PAR1")]);

let missing: boolean;
let storage: ReturnType<typeof scriptedStorage>;
let known: KnownResults;
beforeEach(() => {
  missing = false;
  storage = scriptedStorage(() => {
    if (missing) throw storageError("NoSuchKey", 404);
    return { Body: bodyOf([file]), ETag: '"1"' };
  });
  known = createKnownResults(storage);
});

it("requests the description of a result once for all callers, and gives values to those that wait for it", async () => {
  const [first, second] = await Promise.all([known.of("a"), known.of("a")]);
  expect(first).toBe(second);
  expect(first?.values).toEqual(file);
  expect(await known.of("a")).toEqual({ ...first, values: undefined });
  expect(storage.requests).toHaveLength(1);
  await known.of("b");
  expect(storage.requests).toHaveLength(2);
});

it("requests the description again after it is forgotten, or if the result was missing", async () => {
  await known.of("a");
  known.forget("a");
  known.forget("unknown");
  await known.of("a");
  expect(storage.requests).toHaveLength(2);
  missing = true;
  expect(await known.of("b")).toBeUndefined();
  missing = false;
  expect(await known.of("b")).toMatchObject({ key: "b", etag: '"1"' });
  expect(storage.requests).toHaveLength(4);
});

describe("beyond 64 MB of footers", () => {
  it("the results that were used least recently are forgotten", async () => {
    vi.doMock("../../src/results/stored-result.ts", () => ({
      describeResult: async (_: unknown, key: string) => {
        requests.push(key);
        return { key, localEnd: Buffer.alloc(16_000_000), values: Buffer.alloc(1) };
      },
    }));
    vi.resetModules();
    const requests: string[] = [];
    const mocked = await import("../../src/results/known-results.ts");
    const results = mocked.createKnownResults(storage);
    for (const key of ["a", "b", "c", "d", "a"]) await results.of(key);
    expect(requests).toEqual(["a", "b", "c", "d"]);
    await results.of("e"); // removes b
    for (const key of ["a", "c", "d", "e"]) await results.of(key);
    expect(requests).toEqual(["a", "b", "c", "d", "e"]);
    await results.of("b"); // removes a
    expect(requests).toHaveLength(6);
    results.forget("c");
    await results.of("f");
    for (const key of ["d", "e", "b", "f"]) await results.of(key);
    expect(requests).toHaveLength(7);
    vi.doUnmock("../../src/results/stored-result.ts");
    vi.resetModules();
  });
});
