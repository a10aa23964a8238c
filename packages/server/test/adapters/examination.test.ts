import { readdir } from "node:fs/promises";
import type { ResultStore } from "@quern/adapter";
import { expect, it, onTestFinished, vi } from "vitest";
import { examineStorage } from "../../src/adapters/examination.ts";
import { requireSharedResults } from "../../src/adapters/results.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { temporaryDirectory } from "../fixture.ts";

/** Returns a store and results whose checks can be replaced. */
function places() {
  const close = vi.fn(async () => {});
  const store = { ...openSqliteStore(":memory:"), now: async () => 0, close };
  const check = vi.fn(async () => {});
  const results = { check, close: vi.fn(async () => {}) } as unknown as ResultStore;
  return { store, close, check, results };
}

it("reports nothing for a store, results and sources in the data directory", async () => {
  expect(await examineStorage({})).toEqual([]);
  expect(await examineStorage({ sources: [] })).toEqual([]);
});

it("reports a store and results that can be reached, closes both, and leaves no directory", async () => {
  const directory = await temporaryDirectory();
  vi.stubEnv("TMPDIR", directory);
  onTestFinished(() => void vi.unstubAllEnvs());
  const { store, close, results } = places();
  expect(await examineStorage({ store, results })).toEqual([
    { name: "store", isReachable: true, meaning: "The store can be reached." },
    { name: "results", isReachable: true, meaning: "The results can be reached." },
  ]);
  expect(await examineStorage({ results })).toHaveLength(1);
  expect(close).toHaveBeenCalledTimes(2);
  expect(results.close).toHaveBeenCalledTimes(2);
  expect(await readdir(directory)).toEqual([]);
});

it("reports the reason for which a store, results or sources cannot be used, and closes what it has opened", async () => {
  const { store, close, check, results } = places();
  store.now = () => Promise.reject(new Error("no database"));
  check.mockRejectedValue("no bucket");
  const reports = await examineStorage({ store, results, sources: "./sources" });
  expect(reports.map(({ name, isReachable }) => [name, isReachable])).toEqual([
    ["store", false],
    ["results", false],
    ["sources", false],
  ]);
  expect(reports.map(({ meaning }) => meaning)).toEqual([
    "The store cannot be used: no database",
    "The results cannot be used: no bucket",
    "The sources cannot be used: Invalid setting sources: it is not an address; write it as s3://bucket/prefix.",
  ]);
  expect([close, results.close].map((each) => vi.mocked(each).mock.calls.length)).toEqual([2, 1]);
});

it("waits ten seconds for an answer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  const { store } = places();
  store.now = () => new Promise(() => {});
  const reported = examineStorage({ store });
  while (vi.getTimerCount() === 0) await new Promise(setImmediate);
  await vi.advanceTimersByTimeAsync(9_999);
  expect(vi.getTimerCount()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  const meaning = "The store cannot be used: it did not answer within 10 seconds";
  expect(await reported).toEqual([{ name: "store", isReachable: false, meaning }]);
  expect(vi.getTimerCount()).toBe(0);
});

it("requires the setting results of a shared store only", () => {
  const store = { ...openSqliteStore(":memory:"), isShared: true };
  expect(() => requireSharedResults(store, {})).toThrow("Missing setting results: servers of a shared store");
  expect(requireSharedResults(store, { results: "s3://bucket" })).toBeUndefined();
  expect(requireSharedResults({ ...store, isShared: false }, {})).toBeUndefined();
});
