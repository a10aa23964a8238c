import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { copyRange, openStart, partOf } from "../../src/results/cached-range.ts";

const release = async () => {};

/** Cache with these parts of a result; files of parts in `gone` are no longer there. */
const cacheOf = (parts: readonly string[], gone: readonly string[] = []) => ({
  parts: (result: string) => (result === "run_a.1" ? parts : []),
  find: async (result: string, part: string) =>
    gone.includes(part) ? undefined : { path: `${result}/${part}`, release },
});

it.each([
  ["none", [], undefined],
  ["the whole file and other names", ["whole", "4-x", "x4-9", "4-9x"], undefined],
  ["one that begins at the start", ["4-9"], { start: 4, end: 9 }],
  ["one that begins before the start", ["0-5"], { start: 0, end: 5 }],
  ["ones that end at the start or begin after it", ["0-4", "5-9"], undefined],
  ["the one that ends last", ["4-9", "0-20", "4-19"], { start: 0, end: 20 }],
])("finds the range that has the start of another among %s", async (_, parts, range) => {
  const found = await openStart(cacheOf(parts), "run_a.1", { start: 4, end: 100 });
  expect(found?.range).toEqual(range);
  expect(found?.file.path).toBe(range && `run_a.1/${partOf(range)}`);
});

it("finds no range whose file is no longer there", async () => {
  expect(await openStart(cacheOf(["4-9"], ["4-9"]), "run_a.1", { start: 4, end: 100 })).toBeUndefined();
});

it("copies a range to the same offset", async () => {
  const directory = await mkdtemp(join(tmpdir(), "quern-range-"));
  const [path, target] = [join(directory, "cached"), join(directory, "target")];
  await writeFile(path, "abcdefgh");
  const file = await open(target, "wx");
  await copyRange({ file: { path, release }, range: { start: 0, end: 8 } }, { start: 2, end: 5 }, file);
  await file.close();
  expect(await readFile(target, "latin1")).toBe("\0\0cde");
  await rm(directory, { recursive: true });
});
