import {
  chmod,
  chown,
  type FileHandle,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { changeSource, makeSources, removeSource } from "../../src/loading/change.ts";
import type { Draft } from "../../src/loading/draft.ts";
import type { Target } from "../../src/loading/engine.ts";
import { readManifest } from "../../src/sources/manifest.ts";
import type { TableLoad } from "../../src/sources/origin.ts";
import { readDatabases } from "../sources/data.ts";

let dataDir: string;
let folder: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
  folder = join(dataDir, "sources/shop");
});
afterEach(() => rm(dataDir, { recursive: true }));

const mode = async (path: string) => (await stat(path)).mode & 0o777;
const load: TableLoad = {
  catalog: "shop",
  schema: "main",
  table: "t",
  loadedAt: "now",
  origin: { kind: "files", path: "/t.csv" },
};
const creates = (table: string) => (target: Target) =>
  target.connection.run(`CREATE TABLE ${target.catalog}.${table} AS SELECT 1 AS n`).then(() => {});
/** Adds a table to a catalog of the source. */
const add = (catalog: string, table: string, start: "copied" | "empty" = "copied") =>
  changeSource(folder, async (draft) => {
    await draft.change(catalog, start, creates(table));
    return [...draft.loads, load];
  });
const tablesOf = async (catalog: string) => {
  const file = readManifest(folder)?.catalogs.find(({ name }) => name === catalog)?.file ?? "";
  const databases = [{ name: "c", path: join(folder, file) }];
  return (await readDatabases(databases, "SELECT table_name FROM duckdb_tables() ORDER BY 1")).flat();
};

describe("a change of a source", () => {
  it("writes new files, which the service can read, and removes those of the earlier version", async () => {
    const before = await add("shop", "a");
    expect(before).toEqual({
      version: expect.stringMatching(/^1-/),
      loads: [load],
      runAs: undefined,
      catalogs: [{ name: "shop", file: `${before.version}.duckdb` }],
    });
    expect([await mode(join(dataDir, "sources")), await mode(folder)]).toEqual([0o700, 0o755]);
    expect(await mode(join(folder, `${before.version}.duckdb`))).toBe(0o644);
    const after = await add("shop", "b");
    expect(readManifest(folder)).toEqual(JSON.parse(JSON.stringify(after)));
    expect([after.version.slice(0, 2), after.loads]).toEqual(["2-", [load, load]]);
    expect(await tablesOf("shop")).toEqual(["a", "b"]);
    expect((await readdir(folder)).sort()).toEqual([`${after.version}.duckdb`, "current.json"]);
    await add("shop", "c", "empty");
    expect(await tablesOf("shop")).toEqual(["c"]);
  });

  it("lets the service read a new source whatever the umask of the command is", async () => {
    const umask = process.umask(0o077);
    onTestFinished(() => void process.umask(umask));
    await add("shop", "a");
    expect(await mode(folder)).toBe(0o755);
  });

  it("keeps the permissions of a source that is there", async () => {
    await add("shop", "a");
    await chmod(folder, 0o750);
    await add("shop", "b");
    expect(await mode(folder)).toBe(0o750);
  });

  it("flushes the new file and the manifest to the disk", async () => {
    await using handle = await open(join(dataDir, "probe"), "w");
    const sync = vi.spyOn(Object.getPrototypeOf(handle) as FileHandle, "sync");
    await add("shop", "a");
    expect(sync).toHaveBeenCalledTimes(2);
    sync.mockRestore();
  });

  it("names the files of several catalogs, and keeps those that it does not change", async () => {
    let made = 0;
    const { version } = await changeSource(folder, async (draft) => {
      for (const catalog of ["a", "b", "a", "c"]) await draft.change(catalog, "copied", creates(`t${made++}`));
      await draft.change("c", "empty", creates("only"));
      return [];
    });
    const files = ["", ".2", ".3"].map((part) => `${version}${part}.duckdb`);
    expect(readManifest(folder)?.catalogs.map(({ name, file }) => [name, file])).toEqual([
      ["a", files[0]],
      ["b", files[1]],
      ["c", files[2]],
    ]);
    expect([(await tablesOf("a")).length, await tablesOf("c")]).toEqual([2, ["only"]]);
    const after = await changeSource(folder, async (draft) => {
      draft.removeCatalog("a");
      await draft.change("c", "copied", creates("more"));
      return draft.loads;
    });
    expect(after.catalogs).toEqual([
      { name: "b", file: files[1] },
      { name: "c", file: `${after.version}.duckdb` },
    ]);
    expect((await readdir(folder)).sort()).toEqual([`${version}.2.duckdb`, `${after.version}.duckdb`, "current.json"]);
  });

  it("removes what earlier loads have left, and no other files", async () => {
    await add("shop", "a");
    await mkdir(join(folder, "loading-1"));
    await mkdir(join(dataDir, "sources/.removed-1"));
    for (const name of ["x.duckdb", "x.duckdb.wal", "notes.txt", "x.duckdb.bak", "re-loading-1", "x.wal"])
      await writeFile(join(folder, name), "");
    await writeFile(join(dataDir, "sources/x.removed-1"), "");
    const { version } = await add("shop", "b");
    const kept = [`${version}.duckdb`, "current.json", "notes.txt", "re-loading-1", "x.duckdb.bak", "x.wal"];
    expect((await readdir(folder)).sort()).toEqual(kept);
    expect((await readdir(join(dataDir, "sources"))).sort()).toEqual([".shop.lock", "shop", "x.removed-1"]);
  });

  it("leaves the present version after a failure, or no directory of a new source", async () => {
    const fail = (draft: Draft) => draft.change("shop", "copied", () => Promise.reject(new Error("the disk is full")));
    await expect(changeSource(folder, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
    expect(await readdir(join(dataDir, "sources"))).toEqual([".shop.lock"]);
    const before = await add("shop", "a");
    await expect(changeSource(folder, (draft) => fail(draft).then(() => []))).rejects.toThrow("the disk is full");
    expect(readManifest(folder)?.version).toBe(before.version);
    expect((await readdir(folder)).sort()).toEqual([`${before.version}.duckdb`, "current.json"]);
  });

  it("sets the identity of statements, or keeps the present one", async () => {
    const change = async (runAs?: "user" | "fixed") => (await changeSource(folder, async () => [], runAs)).runAs;
    expect([await change(), await change("user"), await change(), await change("fixed")]).toEqual([
      undefined,
      "user",
      "user",
      "fixed",
    ]);
  });

  it("is refused while another one lasts, and then repeats", async () => {
    const { promise: ends, resolve } = Promise.withResolvers<TableLoad[]>();
    const { promise: began, resolve: begin } = Promise.withResolvers<void>();
    const first = changeSource(folder, () => {
      begin();
      return ends;
    });
    await began;
    const expected = `Source in use: another process changes ${folder}; try again when it has ended`;
    await expect(changeSource(folder, async () => [])).rejects.toMatchObject({
      name: "SourceError",
      message: expected,
    });
    await expect(removeSource(folder)).rejects.toMatchObject({ name: "SourceError", message: expected });
    resolve([]);
    await first;
    await removeSource(folder);
    expect(await readdir(join(dataDir, "sources"))).toEqual([".shop.lock"]);
    await expect(removeSource(folder)).rejects.toMatchObject({ code: "ENOENT" });
    await add("shop", "a");
  });

  it("is refused with a damaged lock file", async () => {
    await mkdir(join(dataDir, "sources"));
    const lock = join(dataDir, "sources/.shop.lock");
    await writeFile(lock, "no database, but a long text");
    await expect(changeSource(folder, async () => [])).rejects.toThrow(
      `Source that cannot be locked: ${folder}: file is not a database; check the lock file ${lock}, which must be empty and writable`,
    );
    expect(await readFile(lock, "utf8")).toBe("no database, but a long text");
  });

  it("says that a file is missing, and not so for another cause", async () => {
    await add("shop", "a");
    const [name = ""] = (await readdir(folder)).filter((each) => each.endsWith(".duckdb"));
    await rm(join(folder, name));
    await mkdir(join(folder, name));
    await expect(add("shop", "b")).rejects.not.toMatchObject({ name: "SourceError" });
    await rm(join(folder, name), { recursive: true, force: true });
    await expect(add("shop", "b")).rejects.toThrow(
      `Missing file of the source: ${join(folder, name)}; remove the source with \`quern sources remove shop\`, and add it again`,
    );
  });
});

it.runIf(process.geteuid?.() === 0)(
  "gives the directory of all sources to the owner of the data directory",
  async () => {
    await chown(dataDir, 90_001, 90_002);
    await makeSources(join(dataDir, "sources"));
    expect(await lstat(join(dataDir, "sources"))).toMatchObject({ uid: 90_001, gid: 90_002 });
    await chown(join(dataDir, "sources"), 90_003, 90_003);
    await chmod(join(dataDir, "sources"), 0o750);
    await makeSources(join(dataDir, "sources")); // it exists
    expect(await lstat(join(dataDir, "sources"))).toMatchObject({ uid: 90_003, gid: 90_003 });
    expect(await mode(join(dataDir, "sources"))).toBe(0o750);
  },
);
