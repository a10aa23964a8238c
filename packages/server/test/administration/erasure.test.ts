import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { ErasedRecords, ResultStore, Store } from "@quern/adapter";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { eraseUser } from "../../src/administration/erase.ts";
import { openSqliteStore } from "../../src/sqlite/store.ts";
import { temporaryDirectory } from "../fixture.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(() => rm(dataDir, { recursive: true }));

/** Returns a store that erases as many runs in each transaction as given. */
function erasing(...batches: readonly Partial<ErasedRecords>[]) {
  const nothing = { runs: 0, executingRuns: 0, sharedRuns: 0, statements: 0 };
  const store = openSqliteStore(":memory:");
  const erase = vi.fn<Store["runs"]["erase"]>(async () => nothing);
  for (const batch of batches) erase.mockResolvedValueOnce({ ...nothing, ...batch });
  const compact = vi.fn(async () => {});
  return { store: { ...store, runs: { ...store.runs, erase }, compact }, erase, compact };
}

it("erases in transactions of 500 runs until one erases fewer, and compacts the store", async () => {
  const { store, erase, compact } = erasing(
    { runs: 400, sharedRuns: 100, statements: 7, executingRuns: 1 },
    { runs: 400, sharedRuns: 99, statements: 2, executingRuns: 2 },
  );
  expect(await eraseUser({ dataDir: { dataDir, store }, user: "ann" })).toEqual({
    runs: 800,
    sharedRuns: 199,
    statements: 9,
    executingRuns: 3,
    activeKeys: 0,
  });
  const user = { tenantId: "tenant_first", userId: "ann" };
  expect(erase.mock.calls).toEqual([
    [user, 500],
    [user, 500],
  ]);
  expect(compact).toHaveBeenCalledOnce();
});

it("removes results and copies whose run does not exist from the data directory", async () => {
  await openSqliteStore(join(dataDir, "quern.db")).close();
  await mkdir(join(dataDir, "results"));
  await writeFile(join(dataDir, "results", "run_a.1.parquet"), "");
  await mkdir(join(dataDir, "cache", "run_a.1"), { recursive: true });
  await eraseUser({ dataDir, user: "ann" });
  expect(await readdir(join(dataDir, "results"))).toEqual([]);
  expect(await readdir(join(dataDir, "cache"))).toEqual([]);
});

it("sweeps results that are elsewhere, and closes them", async () => {
  const { store } = erasing();
  const found: unknown[] = [];
  const sweep = vi.fn<ResultStore["sweep"]>(async (runOf) => void found.push(await runOf("run_a")));
  const results = { sweep, close: vi.fn(async () => {}) } as unknown as ResultStore;
  await eraseUser({ dataDir: { dataDir, store, results }, user: "ann" });
  expect([found, vi.mocked(results.close).mock.calls.length]).toEqual([[undefined], 1]);
});
