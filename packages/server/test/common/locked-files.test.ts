import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { beforeEach, expect, it } from "vitest";
import { examineDataDirectory, lockDataDirectory } from "../../src/common/data-directory.ts";
import { openFileLock } from "../../src/common/file-lock.ts";
import { giveToOwner } from "../../src/common/file-owner.ts";
import { temporaryDirectory } from "../fixture.ts";

let directory: string;
beforeEach(async () => {
  directory = await temporaryDirectory();
  return () => rm(directory, { recursive: true });
});

it("holds a file lock during the work only, also if the work fails", () => {
  const path = join(directory, "lock");
  const lock = openFileLock(path);
  const other = new DatabaseSync(path, { timeout: 0 });
  const isFree = () => {
    try {
      other.exec("BEGIN IMMEDIATE; ROLLBACK");
      return true;
    } catch {
      return false;
    }
  };
  expect([isFree(), lock.hold(isFree), isFree()]).toEqual([true, false, true]);
  const fail = () => {
    throw new Error("no");
  };
  expect(() => lock.hold(fail)).toThrow("no");
  expect(isFree()).toBe(true);
  other.close();
  lock.close();
  expect(() => lock.hold(isFree)).toThrow("database is not open");
});

// Only root can give files to another user.
it.runIf(process.geteuid?.() === 0)(
  "gives a file of root to the owner of its directory, but follows no link",
  async () => {
    await chown(directory, 65_534, 65_533);
    openFileLock(join(directory, "lock")).close();
    const { uid, gid } = await stat(join(directory, "lock"));
    expect([uid, gid]).toEqual([65_534, 65_533]);
    await mkdir(join(directory, "elsewhere"));
    await writeFile(join(directory, "elsewhere", "file"), "");
    await symlink(join(directory, "elsewhere", "file"), join(directory, "link"));
    giveToOwner(join(directory, "link"));
    expect((await stat(join(directory, "elsewhere", "file"))).uid).toBe(0);
  },
);

it("has its files and directories under their names, and creates caches when they are needed", async () => {
  const path = join(directory, "new", "data");
  const data = lockDataDirectory(path);
  const { release, resultCache, sourceCache, ...paths } = data;
  expect(paths).toEqual({
    path,
    database: join(path, "quern.db"),
    results: join(path, "results"),
    cache: join(path, "cache"),
    work: join(path, "work"),
    uploads: join(path, "uploads"),
  });
  expect(await readdir(path)).toEqual(expect.arrayContaining(["server.lock", "server.pid", "work"]));
  expect(await readFile(join(path, "server.pid"), "utf8")).toBe(String(process.pid));
  expect([resultCache(), sourceCache()]).toEqual([join(path, "result-cache"), join(path, "source-cache")]);
  expect([resultCache(), existsSync(sourceCache())]).toEqual([join(path, "result-cache"), true]);
  if (process.platform !== "win32")
    for (const name of ["result-cache", "source-cache"])
      expect((await stat(join(path, name))).mode & 0o777).toBe(0o700);
  release();
});

it("refuses a directory whose server has left no process id", async () => {
  const taken = lockDataDirectory(directory);
  await rm(join(directory, "server.pid"));
  expect(() => lockDataDirectory(directory)).toThrow(
    `The data directory ${directory} is in use by another Quern server or command; stop it, or choose another directory.`,
  );
  taken.release();
});

// Windows has no such permissions.
it.runIf(process.platform !== "win32").each([
  ["700", true, "Only its owner can access the data directory."],
  ["750", true, "Only its owner and its group can access the data directory."],
  ["710", true, "Only its owner and its group can access the data directory."],
  ["701", false, "Every user of the machine can access the data directory (mode 701); run chmod 700 "],
  ["774", false, "Every user of the machine can access the data directory (mode 774); run chmod 700 "],
])("reports who can access a directory of mode %s", async (mode, isPrivate, meaning) => {
  const path = join(directory, "data");
  await mkdir(path);
  await chmod(path, Number.parseInt(mode, 8));
  expect(await examineDataDirectory(path)).toEqual({ isPrivate, meaning: isPrivate ? meaning : `${meaning}${path}` });
});
