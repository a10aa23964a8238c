import { chmod, mkdir, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { writeManifest } from "../../src/sources/manifest.ts";
import { examineSources } from "../../src/sources/readable-files.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
});
afterEach(() => rm(dataDir, { recursive: true }));

it("names each file that other users cannot read, also of a loaded source", async () => {
  const file = join(dataDir, "file.duckdb");
  const folder = join(dataDir, "loaded");
  await mkdir(folder, { mode: 0o700 });
  await writeManifest(folder, { version: "1", catalogs: [{ name: "loaded", file: "1.duckdb" }], loads: [] });
  const files = [file, join(folder, "1.duckdb")];
  for (const path of files) await writeFile(path, "");
  const sources = [file, folder].map((path, index) => ({ name: `s${index}`, provider: "test", path }));
  for (const path of files) await chmod(path, 0o644);
  expect(await examineSources(sources, dataDir, true)).toMatchObject({ isReadable: true });
  for (const path of files) await chmod(path, 0o600);
  const report = await examineSources(sources, dataDir, true);
  expect(report.isReadable).toBe(false);
  expect(report.meaning).toContain(`cannot read ${files.join(", ")}; run chmod o+r`);
  expect(await examineSources(sources, dataDir, false)).toMatchObject({ isReadable: true });
  await rm(file);
  expect((await examineSources(sources, dataDir, false)).meaning).toContain(
    `cannot read ${file}; check that they exist`,
  );
});

it("requires open directories above a file that cannot be linked", async () => {
  const file = join(dataDir, "file.duckdb");
  await writeFile(file, "");
  await chmod(file, 0o644);
  await chmod(dataDir, 0o700);
  const sources = [{ name: "s", provider: "test", path: file }];
  // A directory that does not exist has no file system.
  expect(await examineSources(sources, join(dataDir, "none"), true)).toMatchObject({ isReadable: false });
});

it("ignores sources without files, and of other engines", async () => {
  const sources = [
    { name: "none", provider: "quern" },
    { name: "other", provider: "test", kind: "other", path: "/nowhere" },
  ];
  expect(await examineSources(sources, dataDir, true)).toMatchObject({ isReadable: true });
});

it("says of each source that its files are readable, or what to do", async () => {
  const path = join(dataDir, "shop.duckdb");
  const source = { name: "shop", provider: "test", path };
  const readable = { isReadable: true, meaning: "Processes of statements can read the files of all data sources." };
  const text = (advice: string) => ({
    isReadable: false,
    meaning: `Processes of statements cannot read ${path}; ${advice}.`,
  });
  const toAll =
    "run chmod o+r on the files, which must exist, and chmod o+x on their directories if they are not on the file system of the data directory";
  const exist = "check that they exist, and that the user of the service may read them";
  expect(await examineSources([source], dataDir, true)).toEqual(text(toAll));
  expect(await examineSources([source], dataDir, false)).toEqual(text(exist));
  await writeFile(path, "");
  await chmod(path, 0o604);
  for (const kind of ["duckdb", undefined])
    expect(await examineSources([{ ...source, ...(kind && { kind }) }], dataDir, true)).toEqual(readable);
  await chmod(path, 0o660);
  expect(await examineSources([source], dataDir, true)).toEqual(text(toAll));
  expect(await examineSources([source], dataDir, false)).toEqual(readable);
});

it("accepts a file that cannot be linked if other users may pass each directory above it", async () => {
  const folder = join(dataDir, "data");
  const path = join(folder, "shop.duckdb");
  await mkdir(folder);
  await writeFile(path, "");
  await chmod(path, 0o644);
  const isReadable = async (...modes: number[]) => {
    for (const [index, mode] of modes.entries()) await chmod(index === 0 ? dataDir : folder, mode);
    const sources = [{ name: "s", provider: "test", path }];
    return (await examineSources(sources, join(dataDir, "none"), true)).isReadable;
  };
  const above = (await stat(dirname(dataDir))).mode & 0o001;
  expect([await isReadable(0o711, 0o711), await isReadable(0o711, 0o710), await isReadable(0o710, 0o711)]).toEqual([
    above !== 0,
    false,
    false,
  ]);
});
