import { chmod, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { privateName } from "../../src/executor/private-name.ts";

let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
  await mkdir(join(folder, "own"));
});
afterEach(() => rm(folder, { recursive: true }));
const posix = it.skipIf(process.platform === "win32"); // open files keep their names there

posix("is a link to the file and to what an engine has left beside it, until it is removed", async () => {
  const path = join(folder, "shop.duckdb");
  for (const suffix of ["", ".wal"]) await writeFile(path + suffix, "data");
  await chmod(path, 0o444); // its directory still lets the process create files beside it
  const name = privateName(path, join(folder, "own"), "0.duckdb");
  expect(name.path).toBe(join(folder, "own/0.duckdb"));
  expect((await stat(name.path)).ino).toBe((await stat(path)).ino);
  expect((await readdir(join(folder, "own"))).sort()).toEqual(["0.duckdb", "0.duckdb.wal"]);
  name.remove();
  expect(await readdir(join(folder, "own"))).toEqual([]);
  expect((await stat(path)).nlink).toBe(1);
});

posix("is the path of a file that is missing, or that is on another file system", async () => {
  for (const path of [join(folder, "missing.duckdb"), "/dev/null"]) {
    const name = privateName(path, join(folder, "own"), "0.duckdb");
    expect(name.path).toBe(path);
    name.remove();
  }
  expect(await readdir(join(folder, "own"))).toEqual([]);
});
