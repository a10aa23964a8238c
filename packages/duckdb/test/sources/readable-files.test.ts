import { chmod, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
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
