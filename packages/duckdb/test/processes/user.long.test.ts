import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { type Child, startChild } from "../../src/processes/child.ts";
import { type ChildDirectory, createChildDirectory, sharedFolder } from "../../src/processes/child-directory.ts";
import { openUserIds, type UserIds } from "../../src/processes/user-ids.ts";
import { examineUserIds } from "../../src/processes/user-layer.ts";
import { residentBytes } from "../../src/processes/watchdogs.ts";
import { asRoot } from "./machine.ts";

const range = { first: 90_300, last: 90_303 };
const module = new URL("./confined.ts", import.meta.url);
let work: string;
let userIds: UserIds;
const started: { readonly child: Child; readonly directory: ChildDirectory }[] = [];
beforeEach(async () => {
  work = await temporaryDirectory();
  userIds = await openUserIds(range);
});
afterEach(async () => {
  for (const each of started.splice(0)) await end(each);
  await rm(work, { recursive: true, force: true });
});

async function start(name: string) {
  const directory = await createChildDirectory(join(work, name), userIds);
  const { path, userId } = directory;
  const child = startChild({ module, directory: path, userId, maxMemoryBytes: 2_000_000_000 });
  started.push({ child, directory });
  await child.ready;
  return { child, directory, userId: userId ?? 0 };
}

async function end({ child, directory }: { readonly child: Child; readonly directory: ChildDirectory }): Promise<void> {
  child.kill();
  await child.ended;
  await directory.remove();
}

asRoot("gives each process a user id and a group of its own, and no capability", async () => {
  const ids: number[] = [];
  for (const name of ["a", "b"]) {
    const { child, userId } = await start(name);
    ids.push(userId);
    const status = String(await child.call("read", "/proc/self/status"));
    expect(status).toMatch(new RegExp(`^Uid:\\s+${userId}\\s+${userId}\\s+${userId}\\s+${userId}$`, "m"));
    expect(status).toMatch(new RegExp(`^Gid:\\s+${userId}\\s+${userId}\\s+${userId}\\s+${userId}$`, "m"));
    expect(status).toMatch(/^Groups:\s*$/m);
    expect(status.match(/^Cap\w+:\s+0+$/gm)).toHaveLength(5);
  }
  expect(new Set(ids).size).toBe(2);
});

asRoot("keeps processes from each other and from the service", async () => {
  const [a, b] = [await start("a"), await start("b")];
  const secret = join(work, "secret");
  await writeFile(secret, "of the service");
  await writeFile(join(b.directory.path, "own"), "of b");
  const refused = (task: string, argument: unknown) =>
    expect(a.child.call(task, argument)).rejects.toThrow(/EACCES|EPERM/);
  for (const pid of [b.child.pid, process.pid]) {
    for (const name of ["environ", "mem", "fd", "cwd/own", "root/etc/hostname"])
      await refused("read", `/proc/${pid}/${name}`);
    await refused("signal", pid);
  }
  for (const path of [secret, join(b.directory.path, "own"), "../secret", "../b/own"]) await refused("read", path);
  for (const path of [join(b.directory.path, "new"), "../new", "../b/new", `${sharedFolder}/new`])
    await refused("create", path);
  await refused("remove", sharedFolder);
  expect(await a.child.call("create", "new")).toBe("new");
});

asRoot("reads a shared file until it is released, and no other process does", async () => {
  const [a, b] = [await start("a"), await start("b")];
  const file = join(work, "data");
  await writeFile(file, "rows", { mode: 0o644 });
  const uses = [a.directory.share(file), a.directory.share(file)];
  const [path] = new Set(uses.map((use) => use.path));
  expect(uses.map((use) => use.path)).toEqual([path, path]);
  uses[0]?.release();
  expect(await a.child.call("read", path)).toBe("rows");
  await expect(b.child.call("read", path)).rejects.toThrow("ENOENT");
  await expect(b.child.call("read", file)).rejects.toThrow("EACCES");
  uses[1]?.release();
  await expect(a.child.call("read", path)).rejects.toThrow("ENOENT");
  expect((await stat(file)).nlink).toBe(1);
});

asRoot("takes a file of the process, which becomes one of the service", async () => {
  const { child, directory } = await start("a");
  await child.call("create", "result");
  const path = await directory.take("result");
  expect(await stat(path)).toMatchObject({ uid: 0, gid: 0 });
  await expect(child.call("create", `${sharedFolder}/result.taken`)).rejects.toThrow("EACCES");
});

asRoot("takes no file that the process has replaced by a link", async () => {
  const { directory } = await start("a");
  const secret = join(work, "secret");
  await writeFile(secret, "of the service");
  await symlink(secret, join(directory.path, "link"));
  await expect(directory.take("link")).rejects.toThrow("ELOOP");
  await symlink(work, join(directory.path, "out"));
  await expect(directory.take("out/secret")).rejects.toThrow(/ENOTDIR|ELOOP/);
  await writeFile(join(directory.path, "root"), "of the service");
  await expect(directory.take("root")).rejects.toThrow("belongs to another user");
  expect(await readFile(secret, "utf8")).toBe("of the service");
});

asRoot("leases an id again only after its processes are gone", async () => {
  const first = await start("a");
  const survivor = Number(await first.child.call("escape", null));
  expect(residentBytes(survivor)).toBeGreaterThan(0);
  started.splice(0);
  await end(first);
  expect(residentBytes(survivor)).toBeUndefined();
  await eventually(async () => (await start("b")).userId === first.userId);
});

asRoot("removes a directory in which a process that has survived still creates files", async () => {
  const directory = await createChildDirectory(join(work, "a"), userIds);
  const { path, userId = 0 } = directory;
  const source = `for (let n = 0; ; n += 1) require("node:fs").writeFileSync("file" + n, "");`;
  const survivor = spawn(process.execPath, ["--eval", source], { cwd: path, uid: userId, gid: userId, env: {} });
  const ended = once(survivor, "exit");
  await eventually(() => existsSync(join(path, "file1000")));
  await directory.remove();
  expect(existsSync(path)).toBe(false);
  expect(await ended).toEqual([null, "SIGKILL"]);
});

asRoot("leases no id twice, also not to another service, and says when none is left", async () => {
  const other = await openUserIds(range);
  const leases = [await userIds.lease(), await other.lease(), await userIds.lease(), await other.lease()];
  expect(leases.map(({ id }) => id).toSorted()).toEqual([90_300, 90_301, 90_302, 90_303]);
  await expect(userIds.lease()).rejects.toThrow("No free user id: all of 90300-90303 are in use; enlarge the range");
  await leases[1]?.release();
  expect((await userIds.lease()).id).toBe(leases[1]?.id);
  for (const lease of leases) await lease.release();
});

asRoot("examines a range again after no id of it was free", async () => {
  const one = { first: range.last, last: range.last };
  const lease = await (await openUserIds(one)).lease();
  await expect(examineUserIds(one)).rejects.toThrow("No free user id");
  await lease.release();
  expect(await examineUserIds(one)).toMatchObject({ canChangeUser: true });
});

asRoot("is killed with its service by the kernel, although it is busy", async () => {
  const url = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const source = `
    import { startChild } from ${url("../../src/processes/child.ts")};
    const options = { directory: "/", userId: ${range.first}, maxMemoryBytes: 2e9 };
    const child = startChild({ module: new URL(${url("./confined.ts")}), ...options });
    await child.ready;
    void child.call("spin", null).catch(() => {});
    console.log(child.pid);
    setTimeout(() => process.kill(process.pid, "SIGKILL"), 100);`;
  const { stdout } = spawnSync(process.execPath, ["--input-type=module", "--eval", source], { encoding: "utf8" });
  const pid = Number(stdout.trim());
  expect(pid).toBeGreaterThan(0);
  await eventually(() => residentBytes(pid) === undefined);
});
