import { rm } from "node:fs/promises";
import { DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { withEngine } from "../../src/loading/engine.ts";

it("closes its engine and its connection, also after an error", async () => {
  const spies = [DuckDBConnection, DuckDBInstance].map(({ prototype }) => vi.spyOn(prototype, "closeSync"));
  const spill = await temporaryDirectory();
  onTestFinished(async () => {
    for (const spy of spies) spy.mockRestore();
    await rm(spill, { recursive: true, force: true });
  });
  await withEngine(spill, async () => {});
  const failed = withEngine(spill, () => Promise.reject(new Error("the disk is full")));
  await expect(failed).rejects.toThrow("the disk is full");
  // An open connection keeps the engine, its threads and its files until garbage collection.
  expect(spies.map((spy) => spy.mock.calls.length)).toEqual([2, 2]);
});
