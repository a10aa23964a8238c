import { mkdir, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SourceFiles } from "@quern/adapter";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import type { Target } from "../../src/loading/engine.ts";
import { sharedPlace } from "../../src/loading/shared-place.ts";
import type { TableLoad } from "../../src/sources/origin.ts";
import { createLocalBucket, type LocalBucket, openLocalFiles, storedNames } from "../sources/local-files.ts";

let folder: string;
let bucket: LocalBucket;
let files: SourceFiles;
beforeEach(async () => {
  folder = await temporaryDirectory();
  vi.stubEnv("TMPDIR", join(folder, "temporary"));
  for (const name of ["temporary", "bucket"]) await mkdir(join(folder, name));
  bucket = createLocalBucket(join(folder, "bucket"));
  files = openLocalFiles(bucket, join(folder, "copies"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

const place = (source = "shop", change: Partial<SourceFiles> = {}) =>
  sharedPlace({ ...files, ...change }, source, join(folder, "shop.json"));
const load: TableLoad = {
  catalog: "shop",
  schema: "main",
  table: "t",
  loadedAt: "now",
  origin: { kind: "files", path: "/t.csv" },
};
const creates = (table: string) => (target: Target) =>
  target.connection.run(`CREATE TABLE ${target.catalog}.${table} AS SELECT 1 AS n`).then(() => {});
const index = () => JSON.parse(bucket.index?.text ?? "{}").sources;

it("stores the changed catalogs as new files, and keeps the others", async () => {
  await place().change(async (draft) => {
    expect(draft.loads).toEqual([]);
    await draft.change("shop", "copied", creates("a"));
    await draft.change("crm", "copied", creates("c"));
    return [load];
  }, "user");
  const { version, ...first } = index().shop;
  const table = (name: string) => ({ schema: "main", name, rows: 1 });
  const file = (name: string) => expect.objectContaining({ name: `shop/${name}` });
  expect(version).toMatch(/^1-/);
  expect(first).toEqual({
    catalogs: [
      { name: "shop", file: file(`${version}.duckdb`), tables: [table("a")] },
      { name: "crm", file: file(`${version}.2.duckdb`), tables: [table("c")] },
    ],
    loads: [load],
    runAs: "user",
  });
  await place().change(async (draft) => {
    await draft.change("shop", "copied", creates("b"));
    return draft.loads;
  });
  const next = index().shop;
  expect(next).toEqual({
    version: expect.stringMatching(/^2-/),
    catalogs: [
      { name: "shop", file: file(`${next.version}.duckdb`), tables: [table("a"), table("b")] },
      first.catalogs[1],
    ],
    loads: [load],
    runAs: "user",
  });
  expect(bucket.fetches).toEqual([`shop/${version}.duckdb`]);
  expect(await readdir(join(folder, "temporary"))).toEqual([]);
  await place().change(async () => [], "fixed");
  expect(index().shop).toMatchObject({ runAs: "fixed", loads: [] });
  await place().remove();
  expect([index(), (await storedNames(bucket)).length]).toEqual([{}, 3]);
});

it("stores nothing of a change that fails, and leaves no file of it", async () => {
  await expect(place().change(() => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect([bucket.index, await storedNames(bucket), await readdir(join(folder, "temporary"))]).toEqual([
    undefined,
    [],
    [],
  ]);
});

it("releases the copy of a present file, and says that it is missing", async () => {
  await place().change(async (draft) => {
    await draft.change("shop", "copied", creates("a"));
    return [load];
  });
  let released = 0;
  const open: SourceFiles["open"] = async (file) => {
    const opened = await files.open(file);
    return opened && { path: opened.path, release: async () => void released++ };
  };
  const again = (change: Partial<SourceFiles>) =>
    place("shop", change).change(async (draft) => {
      await draft.change("shop", "copied", async () => {});
      return draft.loads;
    });
  await again({ open });
  expect(released).toBe(1);
  const [name = ""] = [index().shop.version];
  await expect(again({ open: async () => undefined })).rejects.toThrow(
    `Missing file of the source in local: shop/${name}.duckdb; remove the source with \`quern sources remove shop\`, and add it again`,
  );
});

it("refuses a change that another one has preceded", async () => {
  const changed = place().change(async () => {
    await place().change(async () => [load]);
    return [];
  });
  await expect(changed).rejects.toMatchObject({
    name: "SourceError",
    message: "Source in use: another command has changed shop in local; run this one again",
  });
  expect(index().shop.loads).toEqual([load]);
});

it("is free unless a source of another engine has its name, and exists after the first load", async () => {
  expect(() => place().requireFree()).not.toThrow();
  const unknown = "Unknown source: shop in local; list the sources with `quern sources list`";
  await expect(place().requireExisting()).rejects.toThrow(unknown);
  await place("other").change(async () => []);
  await expect(place().requireExisting()).rejects.toThrow(unknown);
  await expect(place("other").requireExisting()).resolves.toBeUndefined();
  await writeFile(join(folder, "shop.json"), "");
  expect(() => place().requireFree()).toThrow("Name of a source already in use: shop is the file");
  expect(await readFile(join(folder, "shop.json"), "utf8")).toBe("");
});
