import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { createHeldFiles } from "../../src/results/held-files.ts";

let folder: string;
let path: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "quern-held-"));
  path = join(folder, "result.parquet");
  await writeFile(path, "rows");
});
afterEach(() => rm(folder, { recursive: true, force: true }));

it("removes a file that is read with its last reader, and gives it to no other", async () => {
  const files = createHeldFiles();
  const first = files.hold(path);
  const second = files.hold(path);
  await files.remove(path);
  expect(files.hold(path)).toBeUndefined();
  await first?.();
  await first?.(); // a reader leaves once
  expect(existsSync(path)).toBe(true);
  await second?.();
  expect(existsSync(path)).toBe(false);
});

it("holds a file anew that was removed and written again", async () => {
  const files = createHeldFiles();
  const release = files.hold(path);
  await files.remove(path);
  await release?.();
  await writeFile(path, "rows");
  const again = files.hold(path);
  expect(again).toBeDefined();
  await again?.();
  expect(existsSync(path)).toBe(true);
});

it("removes an unused file or folder at once, and ignores a missing one", async () => {
  const files = createHeldFiles();
  await files.hold(path)?.();
  await files.remove(path);
  expect(existsSync(path)).toBe(false);
  await mkdir(join(folder, "run"));
  await writeFile(join(folder, "run", "a"), "");
  await files.remove(join(folder, "run"));
  expect(existsSync(join(folder, "run"))).toBe(false);
  await files.remove(join(folder, "none"));
});

it("releases a removed file that is gone already", async () => {
  const files = createHeldFiles();
  const release = files.hold(path);
  await files.remove(path);
  await rm(path);
  await expect(release?.()).resolves.toBeUndefined();
});
