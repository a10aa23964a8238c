import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { withinCap } from "../../src/results/result-cap.ts";

let outputDirectory: string;
beforeEach(async () => {
  outputDirectory = await mkdtemp(join(tmpdir(), "quern-cap-"));
});
afterEach(async () => {
  vi.restoreAllMocks();
  await rm(outputDirectory, { recursive: true, force: true });
});

const caps = { maxResultBytes: 1_000, maxResultRows: 10 };
const tooLarge = (limit: string) => ({ failure: { name: "ResultTooLarge", message: expect.stringContaining(limit) } });

it("accepts a result at its caps, and refuses one row or byte more", async () => {
  const interrupt = vi.fn();
  const write = async (bytes: number, rowCount: number) => {
    await writeFile(join(outputDirectory, "result.parquet"), "x".repeat(bytes));
    return { rowCount };
  };
  const within = (bytes: number, rows: number) =>
    withinCap(caps, { connection: { interrupt }, outputDirectory }, () => write(bytes, rows));
  expect(await within(1_000, 10)).toEqual({ rowCount: 10 });
  await expect(within(1_000, 11)).rejects.toMatchObject(tooLarge("more than 10 rows"));
  expect(interrupt).not.toHaveBeenCalled();
  await expect(within(1_001, 1)).rejects.toMatchObject(tooLarge("more than 1000 bytes"));
});

it("counts all files of the folder", async () => {
  await writeFile(join(outputDirectory, "one"), "x".repeat(600));
  await writeFile(join(outputDirectory, "other"), "x".repeat(600));
  const connection = { interrupt: () => {} };
  const within = withinCap(caps, { connection, outputDirectory }, async () => ({ rowCount: 1 }));
  await expect(within).rejects.toMatchObject(tooLarge("1000 bytes"));
});

it("interrupts the engine repeatedly when the file exceeds the cap, until the end", async () => {
  const set = vi.spyOn(globalThis, "setInterval");
  const clear = vi.spyOn(globalThis, "clearInterval");
  const path = join(outputDirectory, "growing");
  const { promise: written, reject } = Promise.withResolvers<{ rowCount: number }>();
  const interrupt = vi.fn(() => {
    if (interrupt.mock.calls.length === 1) void rm(path); // as the engine does
    if (interrupt.mock.calls.length === 3) reject(new Error("INTERRUPT Error: Interrupted!"));
  });
  await writeFile(path, "x".repeat(2_000));
  const within = withinCap(caps, { connection: { interrupt }, outputDirectory }, () => written);
  await expect(within).rejects.toMatchObject(tooLarge("1000 bytes"));
  expect(clear.mock.calls.map(([timer]) => timer)).toEqual(set.mock.results.map(({ value }) => value));
});
it("throws the error of the engine for a result within its caps", async () => {
  const connection = { interrupt: () => {} };
  const within = withinCap(caps, { connection, outputDirectory }, () => Promise.reject(new Error("the disk is full")));
  await expect(within).rejects.toThrow("the disk is full");
});
