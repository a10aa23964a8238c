import { createHash } from "node:crypto";
import fs from "node:fs";
import { link, lstat, mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import {
  type ChildDirectory,
  createChildDirectory,
  ownDirectory,
  ownDirectoryNames,
} from "../../src/processes/child-directory.ts";

let work: string;
let events: string[];
beforeEach(async () => {
  work = await temporaryDirectory();
  events = [];
});
afterEach(() => rm(work, { recursive: true }));

const exists = (path: string) =>
  stat(path)
    .then(() => true)
    .catch(() => false);

it("has the user of the service without other ids, and then moves files within the directory only", async () => {
  const path = join(work, "a/b");
  const directory = await createChildDirectory(path);
  expect(directory).toMatchObject({ path, ownPath: path, userId: undefined });
  const shared = directory.share("/data", "name");
  expect(shared.path).toBe("/data");
  shared.release();
  await writeFile(join(path, "file"), "");
  await directory.give("file");
  await mkdir(join(path, "out"));
  await writeFile(join(path, "out/file"), "rows");
  const taken = await directory.take("out/file");
  expect([taken, await readFile(taken, "utf8")]).toEqual([join(path, "shared/file.taken"), "rows"]);
  expect(await readdir(join(path, "out"))).toEqual([]);
  await directory.remove();
  expect(await readdir(join(work, "a"))).toEqual([]);
  await directory.remove();
});

it.runIf(process.platform === "linux")("is named by links of the kernel for its process", () => {
  expect([ownDirectory, ...ownDirectoryNames]).toEqual([
    "/proc/self/cwd",
    "/proc/self/cwd",
    `/proc/${process.pid}/cwd`,
  ]);
});

/** The id of this process, whose files it may own without privileges. */
const id = process.getuid?.() ?? 0;
const userIds = {
  lease: async () => ({
    id,
    async killProcesses() {
      events.push(`killed, directory ${(await exists(join(work, "a"))) ? "there" : "gone"}`);
      return true;
    },
    async release() {
      events.push(`released, directory ${(await exists(join(work, "a"))) ? "there" : "gone"}`);
    },
  }),
};

describe.runIf(process.platform === "linux" && process.getgid?.() === id)("the directory of another user", () => {
  let directory: ChildDirectory;
  beforeEach(async () => {
    directory = await createChildDirectory(join(work, "a"), userIds);
  });
  const inside = (...names: string[]) => join(work, "a", ...names);
  const mode = async (path: string) => (await stat(path)).mode & 0o7777;

  it("is writable for the user, but not its files of the service, and is removed after the processes", async () => {
    expect(directory).toMatchObject({ path: inside(), ownPath: "/proc/self/cwd", userId: id });
    expect([await mode(inside()), await mode(inside("shared"))]).toEqual([0o1770, 0o755]);
    expect((await stat(inside())).gid).toBe(id);
    await writeFile(inside("file"), "");
    await directory.give("file");
    expect(await stat(inside("file"))).toMatchObject({ uid: id, gid: id });
    await directory.remove();
    expect(events).toEqual(["killed, directory there", "released, directory gone"]);
  });

  it("gives the id back if it cannot be created", async () => {
    await writeFile(join(work, "file"), "");
    await expect(createChildDirectory(join(work, "file/a"), userIds)).rejects.toMatchObject({ code: "ENOTDIR" });
    expect(events).toEqual(["released, directory there"]);
  });

  it("shares a file by a link until the last use ends", async () => {
    const file = join(work, "data");
    await writeFile(file, "rows");
    const name = createHash("sha256").update(file).digest("hex");
    const uses = [1, 2].map(() => directory.share(file));
    expect(uses.map(({ path }) => path)).toEqual(Array(2).fill(`/proc/self/cwd/shared/${name}`));
    const nlink = async () => (await stat(file)).nlink;
    expect(await nlink()).toBe(2);
    uses[0]?.release();
    expect(await nlink()).toBe(2);
    uses[1]?.release();
    expect(await nlink()).toBe(1);
    const again = directory.share(file);
    expect(await nlink()).toBe(2);
    again.release();
    expect(await readdir(inside("shared"))).toEqual([]);
  });

  it("shares a file under a name, in place of an earlier file of this name", async () => {
    await writeFile(inside("shared", "1.duckdb"), "of before");
    await writeFile(join(work, "data"), "rows");
    expect(directory.share(join(work, "data"), "1.duckdb").path).toBe("/proc/self/cwd/shared/1.duckdb");
    expect(await readFile(inside("shared", "1.duckdb"), "utf8")).toBe("rows");
  });

  it("has no link to a missing file, and none to a file of another file system, which keeps its path", async () => {
    expect(directory.share(join(work, "missing"), "x").path).toBe("/proc/self/cwd/shared/x");
    const other = directory.share("/proc/self/status", "y");
    expect(other.path).toBe("/proc/self/status");
    other.release();
    expect(await readdir(inside("shared"))).toEqual([]);
  });

  it("takes a file out of the reach of the process", async () => {
    await mkdir(inside("out"));
    await writeFile(inside("out", "result"), "rows", { mode: 0o600 });
    const path = await directory.take("out/result");
    expect([path, await mode(path), await readFile(path, "utf8")]).toEqual([
      inside("shared", "result.taken"),
      0o644,
      "rows",
    ]);
    expect(await readdir(inside("out"))).toEqual([]);
  });

  it.each<[string, (path: string) => Promise<unknown>, RegExp]>([
    ["a missing file", async () => {}, /ENOENT/],
    [
      "a directory",
      (path) => mkdir(path),
      /^Invalid file of a process: result is not a regular file, is a link, belongs to another user, or was replaced\.$/,
    ],
    ["a link", (path) => symlink(join(work, "secret"), path), /ELOOP/],
    [
      "a file with two names",
      (path) => link(join(work, "secret"), path),
      /^Invalid file of a process: result is not a regular file, is a link, belongs to another user, or was replaced\.$/,
    ],
  ])("does not take %s", async (_, make, message) => {
    await writeFile(join(work, "secret"), "", { mode: 0o600 });
    await make(inside("result"));
    await expect(directory.take("result")).rejects.toThrow(message);
    expect(await readdir(inside("shared"))).toEqual([]);
    expect((await lstat(join(work, "secret"))).mode & 0o777).toBe(0o600);
  });

  it("does not take a file that the process replaces before it is moved", async () => {
    await writeFile(inside("result"), "rows");
    const { renameSync } = fs;
    vi.spyOn(fs, "renameSync").mockImplementation((from, to) => {
      fs.rmSync(from);
      fs.writeFileSync(from, "of another program");
      renameSync(from, to);
    });
    syncBuiltinESMExports();
    onTestFinished(() => {
      vi.restoreAllMocks();
      syncBuiltinESMExports();
    });
    await expect(directory.take("result")).rejects.toThrow(/was replaced\.$/);
    expect(await readdir(inside("shared"))).toEqual([]);
  });
});
