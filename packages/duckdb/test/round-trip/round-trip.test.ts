import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { afterAll, beforeAll, expect, it, vi } from "vitest";
import "../../src/engine/package-corrections.ts";
import type { TaskHandler } from "../../src/processes/serving.ts";
import { openProduct, type Product } from "./product.ts";
import { type Difference, roundTrip } from "./round-trip.ts";

/** Tasks that the workers perform, by their names. */
const handlers: Record<string, TaskHandler> = {};
const directory = mkdtempSync(join(tmpdir(), "quern-round-trip-"));
vi.mock("../../src/processes/serving.ts", () => ({
  serveParent: (served: Record<string, TaskHandler>) => Object.assign(handlers, served),
}));
vi.mock("../../src/processes/child-directory.ts", () => ({ ownDirectory: directory, ownDirectoryNames: [] }));
vi.mock("../../src/writer/task.ts", () => ({
  outputFolder: join(directory, "written"),
  resultFile: "written/result.parquet",
}));
// A download has an engine of its own, which takes longer to open than a small download.
vi.mock("../../src/results/engine.ts", async (load) => (await import("./shared-engine.ts")).sharedEngine(await load()));

// The test files of a process share its modules, with and without the mocks.
vi.resetModules();
afterAll(() => void vi.resetModules());

let product: Product;
let engine: DuckDBConnection;
beforeAll(async () => {
  product = await openProduct(handlers, directory);
  engine = await (await DuckDBInstance.create()).connect();
  await engine.run("SET TimeZone = 'UTC'");
});
afterAll(() => rm(directory, { recursive: true }));

it("100 random tables come back from each format, and are found by each shown value", async () => {
  const found: Difference[] = [];
  for (let seed = 0; seed < 100; seed += 1) found.push(...(await roundTrip(product, engine, seed, directory)));
  expect(found).toEqual([]);
}, 120_000); // a loaded machine takes ten times as long as a quiet one
