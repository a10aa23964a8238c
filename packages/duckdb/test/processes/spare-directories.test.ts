import { readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { createSpareDirectories } from "../../src/processes/spare-directories.ts";

let parent: string;
beforeEach(async () => {
  parent = await temporaryDirectory();
});
afterEach(() => rm(parent, { recursive: true }));

it("moves each directory once, and creates as many as were moved", async () => {
  const spares = createSpareDirectories(join(parent, "spare-"), 2);
  await Promise.all([spares.refill(), spares.refill()]);
  expect(await readdir(parent)).toHaveLength(2);
  const moved = ["a", "b", "c"].map((name) => spares.moveTo(join(parent, name)));
  expect(await Promise.all(moved)).toEqual([true, true, false]);
  expect(await readdir(parent)).toEqual(["a", "b"]);
  await spares.refill();
  expect(await readdir(parent)).toHaveLength(4);
  await spares.close();
  expect(await readdir(parent)).toEqual(["a", "b"]);
});

it("creates a directory later that it could not create", async () => {
  const folder = join(parent, "folder");
  await writeFile(folder, ""); // fails the creation, as a full disk does
  const spares = createSpareDirectories(join(folder, "spare-"), 1);
  await spares.refill();
  expect(await spares.moveTo(join(parent, "a"))).toBe(false);
  await rm(folder);
  await spares.refill();
  expect(await spares.moveTo(join(parent, "a"))).toBe(true);
});

it("creates no directory after it is closed, and numbers them from 1", async () => {
  const spares = createSpareDirectories(join(parent, "spare-"), 2);
  const refilled = spares.refill();
  await spares.close();
  await refilled;
  await spares.refill();
  expect([await spares.moveTo(join(parent, "a")), await readdir(parent)]).toEqual([false, []]);
  const others = createSpareDirectories(join(parent, "other-"), 2);
  await others.refill();
  expect(await readdir(parent)).toEqual(["other-1", "other-2"]);
  expect(await readdir(join(parent, "other-1"))).toEqual(["shared"]);
});

it("keeps a directory that could not be moved", async () => {
  const spares = createSpareDirectories(join(parent, "spare-"), 1);
  await spares.refill();
  expect(await spares.moveTo(join(parent, "none", "a"))).toBe(false);
  expect(await spares.moveTo(join(parent, "a"))).toBe(true);
  expect(await readdir(parent)).toEqual(["a"]);
});
