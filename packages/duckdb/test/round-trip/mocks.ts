import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { vi } from "vitest";
import "../../src/engine/package-corrections.ts";
import type { TaskHandler } from "../../src/processes/serving.ts";
import { openProduct } from "./product.ts";
import { type Difference, resultsOf, roundTrip } from "./round-trip.ts";
import { sharedEngine } from "./shared-engine.ts";

/**
 * Takes the random tables of some seeds through each form and back, in this process and without those of the service.
 * @param from first seed
 * @param to seed after the last one
 */
export async function differencesOf(from: number, to: number): Promise<readonly Difference[]> {
  /** Tasks that the workers perform, by their names. */
  const handlers: Record<string, TaskHandler> = {};
  const directory = mkdtempSync(join(tmpdir(), "quern-round-trip-"));
  // The test files of a process share its modules, with and without the mocks.
  vi.resetModules();
  vi.doMock("../../src/processes/serving.ts", () => ({
    serveParent: (served: Record<string, TaskHandler>) => Object.assign(handlers, served),
  }));
  vi.doMock("../../src/processes/child-directory.ts", () => ({ ownDirectory: directory, ownDirectoryNames: [] }));
  // A download has an engine of its own, which takes longer to open than a small download.
  vi.doMock("../../src/results/engine.ts", async (load) => sharedEngine(await load()));
  const engine = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
  await engine.run("SET TimeZone = 'UTC'");
  const product = await openProduct(handlers, directory, engine);
  const found: Difference[] = [];
  for (const seeds of resultsOf(from, to)) found.push(...(await roundTrip(product, engine, seeds, directory)));
  vi.resetModules();
  await rm(directory, { recursive: true });
  return found;
}
