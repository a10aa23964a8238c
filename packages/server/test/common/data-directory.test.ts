import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { chmod, chown, mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { addToSource } from "@quern/duckdb/loading";
import { issueKey, listKeys, rotateKey } from "@quern/server/administration";
import { expect, it } from "vitest";
import { writeExports } from "../../../duckdb/test/sources/data.ts";
import { examineDataDirectory, lockDataDirectory } from "../../src/common/data-directory.ts";
import { idleKind, openFilesIn, startServer, temporaryDirectory } from "../fixture.ts";

it("is private to its owner when created, and keeps the mode that the operator set", async () => {
  const parent = await temporaryDirectory();
  const modeOf = async (name: string) => (await stat(join(parent, name))).mode & 0o777;
  await writeExports(parent);
  const served = lockDataDirectory(join(parent, "served"));
  await issueKey({ dataDir: join(parent, "administered"), tenant: "acme", user: "ann" });
  await addToSource({ dataDir: join(parent, "loaded"), source: "shop" }, { from: join(parent, "customers.csv") });
  for (const name of ["served", "served/work", "administered", "loaded", "loaded/sources"])
    expect([name, await modeOf(name)]).toEqual([name, 0o700]);

  served.release();

  await mkdir(join(parent, "open"));
  await chmod(join(parent, "open"), 0o755);
  lockDataDirectory(join(parent, "open")).release();
  expect(await modeOf("open")).toBe(0o755);
  expect(await examineDataDirectory(join(parent, "open"))).toMatchObject({ isPrivate: false });
  expect(await examineDataDirectory(join(parent, "served"))).toMatchObject({ isPrivate: true });
  expect(await examineDataDirectory(join(parent, "not yet"))).toEqual({
    isPrivate: true,
    meaning: `No data directory: ${join(parent, "not yet")}; check the name. \`quern serve\` creates it.`,
  });
  await rm(parent, { recursive: true });
});

// Only root can create files for another user.
it.runIf(process.geteuid?.() === 0)("has the same owner as its directory of sources, which root has made", async () => {
  const dataDir = await temporaryDirectory();
  await writeExports(dataDir);
  await chown(dataDir, 65_534, 65_534);
  const umask = process.umask(0o077);
  await addToSource({ dataDir, source: "shop" }, { from: join(dataDir, "customers.csv") }).finally(() =>
    process.umask(umask),
  );
  expect((await stat(join(dataDir, "sources"))).uid).toBe(65_534);
  for (const name of ["shop", "shop/current.json"])
    expect([name, (await stat(join(dataDir, "sources", name))).mode & 0o004]).toEqual([name, 0o004]);
  await rm(dataDir, { recursive: true });
});

it("that this user cannot access is reported, and not as private or missing", async () => {
  const parent = await temporaryDirectory();
  await chmod(parent, 0o755);
  await mkdir(join(parent, "closed"), { mode: 0o500 });
  const examine = `
    import { examineDataDirectory } from ${JSON.stringify(new URL("../../src/common/data-directory.ts", import.meta.url))};
    console.log(JSON.stringify(await examineDataDirectory("closed")));`;
  // Root can access everything unless it has no capabilities. Another user might not be able to read Node.js.
  const prefix = process.geteuid?.() === 0 ? ["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--"] : [];
  const [program = "", ...args] = [...prefix, process.execPath, "--input-type=module", "--eval", examine];
  const { stdout } = await promisify(execFile)(program, args, { cwd: parent });
  expect(JSON.parse(stdout)).toMatchObject({ isDenied: true, meaning: expect.stringContaining("closed") });
  await rm(parent, { recursive: true });
});

it("stays locked until the engines have ended", async () => {
  const path = await temporaryDirectory();
  const taken: string[] = [];
  const close = async (): Promise<void> => {
    try {
      lockDataDirectory(path).release();
      taken.push("taken");
    } catch (error) {
      taken.push(String(error));
    }
  };
  const server = await startServer({ dataDir: path, kind: { ...idleKind, close } });
  await server.stop();
  expect(taken).toEqual([expect.stringContaining("in use by another")]);
  await rm(path, { recursive: true });
});

it("has no temporary files when its server ends", async () => {
  const path = await temporaryDirectory();
  const taken = lockDataDirectory(path);
  await mkdir(join(taken.work, "reader"));
  await writeFile(join(taken.work, "reader", "spilled"), "much");
  taken.release();
  expect(await readdir(path)).toEqual(["server.lock"]);
  await rm(path, { recursive: true });
});

it("is locked by one server at a time, without the temporary files of an earlier one", async () => {
  const path = await temporaryDirectory();
  await mkdir(join(path, "work"));
  await writeFile(join(path, "work", "spilled"), "much");
  const taken = lockDataDirectory(path);
  expect(await readdir(taken.work)).toEqual([]);
  expect(() => lockDataDirectory(path)).toThrow(`in use by another Quern server or command (process ${process.pid})`);
  taken.release();
  lockDataDirectory(path).release();
  await rm(path, { recursive: true });
});

it("does not blame another process for a damaged lock file", async () => {
  const path = await temporaryDirectory();
  await writeFile(join(path, "server.lock"), "no database ".repeat(100));
  expect(() => lockDataDirectory(path)).toThrow(
    `The data directory ${path} cannot be locked: file is not a database; check its file server.lock, which must be empty and writable.`,
  );
  await writeExports(path);
  await mkdir(join(path, "sources"));
  await writeFile(join(path, "sources", ".shop.lock"), "no database ".repeat(100));
  const added = addToSource({ dataDir: path, source: "shop" }, { from: join(path, "customers.csv") });
  await expect(added).rejects.toThrow(`Source that cannot be locked: ${join(path, "sources", "shop")}: file is not`);
  await mkdir(join(path, "sources", ".stock.lock"));
  const unopened = addToSource({ dataDir: path, source: "stock" }, { from: join(path, "customers.csv") });
  await expect(unopened).rejects.toThrow(`check the lock file ${join(path, "sources", ".stock.lock")}`);
  await rm(path, { recursive: true });
});

// Only Linux lists the open files of a process.
it.runIf(existsSync("/proc/self/fd"))("has no open files after its server or a command ends", async () => {
  const path = await temporaryDirectory();
  const server = await startServer({ dataDir: path });
  const { id } = await server.run("select 1");
  await server.results({ queryRunId: id });
  expect(await openFilesIn(path)).toEqual(expect.arrayContaining(["audit.jsonl", "quern.db", "server.lock"]));
  await server.stop();
  expect(await openFilesIn(path)).toEqual([]);

  const key = await issueKey({ dataDir: path });
  await rotateKey(path, key.id);
  await expect(rotateKey(path, "no key")).rejects.toThrow("no key");
  expect(await listKeys(path)).toHaveLength(3);
  expect(await openFilesIn(path)).toEqual([]);

  const taken = lockDataDirectory(path);
  expect(() => lockDataDirectory(path)).toThrow("in use");
  taken.release();
  expect(await openFilesIn(path)).toEqual([]);
  await rm(path, { recursive: true });
});
