import { type FileHandle, mkdir, open, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Source } from "@quern/adapter";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { dataDirectorySources, isEngineCatalog } from "../../src/sources/data-directory-sources.ts";
import { readEngineSource, removeEngineSource, writeEngineSource } from "../../src/sources/engine-source.ts";
import { createLinkedSources, revisionOf } from "../../src/sources/held-data.ts";
import { nextVersion, readManifest, writeManifest } from "../../src/sources/manifest.ts";

let folder: string;
beforeEach(async () => {
  folder = await temporaryDirectory();
});
afterEach(() => rm(folder, { recursive: true }));
const mode = async (path: string) => (await stat(path)).mode & 0o777;

describe("the manifest of a loaded source", () => {
  it("is replaced as a whole, and readable for the service", async () => {
    expect(readManifest(folder)).toBeUndefined();
    const manifest = { version: "1-a", catalogs: [{ name: "a", file: "1.duckdb" }], loads: [], runAs: "user" } as const;
    await writeManifest(folder, { ...manifest, version: "0-a" });
    await writeManifest(folder, manifest);
    expect(readManifest(folder)).toEqual(manifest);
    expect(await readFile(join(folder, "current.json"), "utf8")).toBe(`${JSON.stringify(manifest, null, 2)}\n`);
    expect([await readdir(folder), await mode(join(folder, "current.json"))]).toEqual([["current.json"], 0o644]);
  });

  it.each([
    [undefined, "1"],
    ["1-0a0a0a0a", "2"],
    ["19-0a0a0a0a", "20"],
  ])("has the version after %s", (version, number) => {
    expect(nextVersion(version === undefined ? undefined : { version })).toMatch(new RegExp(`^${number}-[0-9a-f]{8}$`));
  });
});

/** Returns the class of the handles of files. */
async function fileHandle() {
  await using handle = await open(join(folder, "probe"), "w");
  await rm(join(folder, "probe"));
  return Object.getPrototypeOf(handle) as FileHandle;
}

describe.each([
  ["manifest", "current.json", (path: string) => writeManifest(path, { version: "1", catalogs: [], loads: [] })],
  ["file of another engine", "lake.json", (path: string) => writeEngineSource(join(path, "lake.json"), { kind: "k" })],
] as const)("a new %s", (_, name, write) => {
  it.each(["writeFile", "sync"] as const)("appears only after the call %s has ended", async (method) => {
    const handle = await fileHandle();
    const call: unknown = handle[method];
    const [begun, ends] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const spy = vi.spyOn(handle, method).mockImplementationOnce(async function (
      this: FileHandle,
      ...values: unknown[]
    ) {
      begun.resolve();
      await ends.promise;
      return Reflect.apply(call as CallableFunction, this, values);
    });
    const written = write(folder);
    await begun.promise;
    for (let later = 0; later < 10; later += 1) expect(await readdir(folder)).toEqual([`${name}.tmp`]);
    ends.resolve();
    await written;
    spy.mockRestore();
    expect(await readdir(folder)).toEqual([name]);
  });
});

describe("the file of a source of another engine", () => {
  const source = { kind: "trino", address: "trino://example.com", runAs: "user" } as const;

  it("is replaced as a whole, and removed", async () => {
    const path = join(folder, "lake.json");
    expect(await removeEngineSource(path)).toBe(false);
    await writeEngineSource(path, { kind: "old" });
    await writeEngineSource(path, source);
    expect(await readFile(path, "utf8")).toBe(`${JSON.stringify(source, null, 2)}\n`);
    expect([readEngineSource(path), await readdir(folder), await mode(path)]).toEqual([source, ["lake.json"], 0o644]);
    expect(await removeEngineSource(path)).toBe(true);
    expect(await readdir(folder)).toEqual([]);
  });

  it.each(["", "null", "7", "[]", '{"address":"x"}', '{"kind":7}'])("is none: %s", async (text) => {
    const path = join(folder, "lake.json");
    await writeFile(path, text);
    expect([readEngineSource(path), await removeEngineSource(path)]).toEqual([undefined, false]);
    expect(await readdir(folder)).toEqual(["lake.json"]);
  });
});

it("finds loaded sources, files and sources of other engines, of which the first of a name counts", async () => {
  expect(dataDirectorySources(folder)).toEqual([{ name: "none", provider: "quern" }]);
  const path = (name: string) => join(folder, "sources", name);
  for (const name of ["a", "b", "empty", ".hidden"]) await mkdir(path(name), { recursive: true });
  for (const name of ["b", ".hidden"])
    await writeManifest(path(name), { version: "1", catalogs: [], loads: [], ...(name === "b" && { runAs: "user" }) });
  await writeManifest(path("a"), { version: "1", catalogs: [], loads: [] });
  for (const name of ["a", "d", ".e", "Memory", "SYSTEM", "temp"]) await writeFile(path(`${name}.duckdb`), "");
  await writeFile(path("a.json"), '{"kind":"trino"}');
  await writeFile(path("c.json"), '{"kind":"trino","path":"/x"}');
  await writeFile(path("f.json"), "{}");
  await writeFile(path("g.csv"), "");
  await symlink("d.duckdb", path("linked.duckdb"));
  const quern = { provider: "quern", isDefault: false };
  expect(dataDirectorySources(folder)).toEqual([
    { ...quern, name: "a", path: path("a"), runAs: "fixed" },
    { ...quern, name: "b", path: path("b"), runAs: "user" },
    { ...quern, name: "c", kind: "trino", path: "/x" },
    { ...quern, name: "d", path: path("d.duckdb") },
    { ...quern, name: "linked", path: path("linked.duckdb") },
  ]);
  expect(["memory", "TEMP", "System", "temporary", ""].map(isEngineCatalog)).toEqual([true, true, true, false, false]);
});

describe("held data", () => {
  const sourceAt = (path: string | null): Source => ({
    name: "shop",
    provider: "test",
    kind: "duckdb",
    path,
    lowerCaseColumns: false,
  });

  it("is nothing for a source without a path", async () => {
    expect(await createLinkedSources(folder).hold(sourceAt(null))).toMatchObject({ revision: "none", databases: [] });
    expect(await revisionOf(sourceAt(null))).toBe("none");
  });

  it("is a file as it is, whose revision changes with it", async () => {
    const path = join(folder, "shop.duckdb");
    expect(await revisionOf(sourceAt(path))).toBe("missing");
    await writeFile(path, "a");
    const revision = await revisionOf(sourceAt(path));
    const held = await createLinkedSources(join(folder, "links")).hold(sourceAt(path));
    expect(held).toMatchObject({ revision, databases: [{ name: "shop", path }] });
    await held.release();
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    expect([revision, await readdir(folder)]).toEqual([`${ino}-1-${mtimeNs}`, ["shop.duckdb"]]);
    await writeFile(path, "ab");
    expect(await revisionOf(sourceAt(path))).not.toBe(revision);
  });

  it("is links to the files of a loaded source, the one with its name first, which its statements share", async () => {
    const catalogs = ["other", "shop", "more"].map((name) => ({ name, file: `${name}.duckdb` }));
    await writeManifest(folder, { version: "7-a", catalogs, loads: [] });
    for (const { file } of catalogs) await writeFile(join(folder, file), file);
    const links = join(folder, "links");
    const sources = createLinkedSources(links);
    const [held, again] = await Promise.all([sources.hold(sourceAt(folder)), sources.hold(sourceAt(folder))]);
    expect([held.revision, await revisionOf(sourceAt(folder))]).toEqual(["7-a", "7-a"]);
    expect(held.databases.map(({ name }) => name)).toEqual(["shop", "other", "more"]);
    expect(again.databases).toEqual(held.databases);
    await again.release();
    await again.release(); // does not end the use of the other statement
    await new Promise((resolve) => setTimeout(resolve, 1_100)); // unused links would be gone
    for (const { name, path } of held.databases) {
      expect(path).toMatch(new RegExp(`/links/shop-[^/]+/${name}\\.duckdb$`));
      expect(await readFile(path, "utf8")).toBe(`${name}.duckdb`);
    }
    await held.release();
    await eventually(async () => (await readdir(links)).length === 0);
  });

  it("stays until its last statement ends, while later ones have the next revision", async () => {
    const catalogs = [{ name: "shop", file: "shop.duckdb" }];
    await writeManifest(folder, { version: "7-a", catalogs, loads: [] });
    await writeFile(join(folder, "shop.duckdb"), "seven");
    const links = join(folder, "links");
    const sources = createLinkedSources(links);
    const seven = await sources.hold(sourceAt(folder));
    await rm(join(folder, "shop.duckdb"));
    await writeFile(join(folder, "shop.duckdb"), "eight");
    await writeManifest(folder, { version: "8-a", catalogs, loads: [] });
    const eight = await sources.hold(sourceAt(folder));
    const texts = [seven, eight].map(({ databases }) => readFile(databases[0]?.path ?? "", "utf8"));
    expect(await Promise.all(texts)).toEqual(["seven", "eight"]);
    await seven.release();
    expect(await readdir(links)).toHaveLength(1);
    await eight.release();
    await sources.close();
    expect(await readdir(links)).toEqual([]);
  });

  it("fails if a file of a loaded source is missing, and leaves no link", async () => {
    const catalogs = ["shop", "gone"].map((name) => ({ name, file: `${name}.duckdb` }));
    await writeManifest(folder, { version: "7-a", catalogs, loads: [] });
    await writeFile(join(folder, "shop.duckdb"), "");
    const links = join(folder, "links");
    const name = folder.split("/").at(-1);
    await expect(createLinkedSources(links).hold(sourceAt(folder))).rejects.toThrow(
      new Error(
        `Missing files of the data source: shop; remove the source with \`quern sources remove ${name}\`, and add it again.`,
      ),
    );
    expect(await readdir(links)).toEqual([]);
  });

  it("is the files themselves where they cannot be linked", async () => {
    const names = ["x", "shop", "y"];
    for (const name of names) await mkdir(join(folder, `${name}.duckdb`)); // a directory has no second name
    const catalogs = names.map((name) => ({ name, file: `${name}.duckdb` }));
    await writeManifest(folder, { version: "7-a", catalogs, loads: [] });
    const held = await createLinkedSources(join(folder, "links")).hold(sourceAt(folder));
    const paths = ["shop", "x", "y"].map((name) => ({ name, path: join(folder, `${name}.duckdb`) }));
    expect(held.databases).toEqual(paths);
  });
});
