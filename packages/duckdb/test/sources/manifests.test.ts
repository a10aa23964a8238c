import { mkdir, readdir, readFile, rm, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Source, SourceFile, SourceFiles, SourceIndex } from "@quern/adapter";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { dataDirectorySources, isEngineCatalog } from "../../src/sources/data-directory-sources.ts";
import { readEngineSource, removeEngineSource, writeEngineSource } from "../../src/sources/engine-source.ts";
import { holdData, revisionOf } from "../../src/sources/held-data.ts";
import { nextVersion, readManifest, writeManifest } from "../../src/sources/manifest.ts";
import { readSources, replaceSource } from "../../src/sources/shared-index.ts";
import { parseManifests, type SharedManifest } from "../../src/sources/shared-manifest.ts";

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
    ...{ name: "shop", provider: "test", kind: "duckdb", path, lowerCaseColumns: false },
  });

  it("is nothing for a source without a path", async () => {
    expect(await holdData(sourceAt(null), folder)).toMatchObject({ revision: "none", databases: [] });
    expect(await revisionOf(sourceAt(null))).toBe("none");
  });

  it("is a file as it is, whose revision changes with it", async () => {
    const path = join(folder, "shop.duckdb");
    expect(await revisionOf(sourceAt(path))).toBe("missing");
    await writeFile(path, "a");
    const revision = await revisionOf(sourceAt(path));
    const held = await holdData(sourceAt(path), join(folder, "links"));
    expect(held).toMatchObject({ revision, databases: [{ name: "shop", path }] });
    await held.release();
    const { ino, mtimeNs } = await stat(path, { bigint: true });
    expect([revision, await readdir(folder)]).toEqual([`${ino}-1-${mtimeNs}`, ["shop.duckdb"]]);
    await writeFile(path, "ab");
    expect(await revisionOf(sourceAt(path))).not.toBe(revision);
  });

  it("is links to the files of a loaded source, the one with its name first, until it is released", async () => {
    const catalogs = ["other", "shop", "more"].map((name) => ({ name, file: `${name}.duckdb` }));
    await writeManifest(folder, { version: "7-a", catalogs, loads: [] });
    for (const { file } of catalogs) await writeFile(join(folder, file), file);
    const links = join(folder, "links");
    const held = await holdData(sourceAt(folder), links);
    expect([held.revision, await revisionOf(sourceAt(folder))]).toEqual(["7-a", "7-a"]);
    expect(held.databases.map(({ name }) => name)).toEqual(["shop", "other", "more"]);
    for (const { name, path } of held.databases) {
      expect(path).toMatch(new RegExp(`/links/shop-[^/]+/${name}\\.duckdb$`));
      expect(await readFile(path, "utf8")).toBe(`${name}.duckdb`);
    }
    await held.release();
    expect(await readdir(links)).toEqual([]);
  });

  it("fails if a file of a loaded source is missing, and leaves no link", async () => {
    const catalogs = ["shop", "gone"].map((name) => ({ name, file: `${name}.duckdb` }));
    await writeManifest(folder, { version: "7-a", catalogs, loads: [] });
    await writeFile(join(folder, "shop.duckdb"), "");
    const links = join(folder, "links");
    const name = folder.split("/").at(-1);
    await expect(holdData(sourceAt(folder), links)).rejects.toThrow(
      new Error(
        `Missing files of the data source: shop; remove the source with \`quern sources remove ${name}\`, and add it again.`,
      ),
    );
    expect(await readdir(links)).toEqual([]);
  });

  it("is the file itself where it cannot be linked", async () => {
    await mkdir(join(folder, "shop.duckdb")); // a directory has no second name
    await writeManifest(folder, { version: "7-a", catalogs: [{ name: "shop", file: "shop.duckdb" }], loads: [] });
    const held = await holdData(sourceAt(folder), join(folder, "links"));
    expect(held.databases).toEqual([{ name: "shop", path: join(folder, "shop.duckdb") }]);
  });
});

describe("the index of a shared storage", () => {
  const file: SourceFile = { name: "shop/1-0a0a0a0a.duckdb", bytes: 1, checksum: "0" };
  const table = { schema: "main", name: "t", rows: null };
  const catalog = { name: "shop", file, tables: [table] };
  const load = { catalog: "shop", schema: "main", table: "t", origin: { kind: "files", path: "/a" }, loadedAt: "now" };
  const manifest = { version: "1-0a0a0a0a", catalogs: [catalog], loads: [load], runAs: "user" };

  it.each<[string, unknown]>([
    ["no source", {}],
    ["a source", { shop: manifest }],
    [
      "a source with a further file, without the identity of statements",
      {
        "s-1_": {
          ...manifest,
          runAs: undefined,
          catalogs: [catalog, catalog].map((each) => ({
            ...each,
            file: { ...file, name: "s-1_/12-ffffffff.2.duckdb" },
          })),
        },
      },
    ],
    ["the other identity", { shop: { ...manifest, runAs: "fixed", catalogs: [], loads: [] } }],
  ])("has %s", (_, value) => {
    expect(parseManifests(value)).toEqual(new Map(Object.entries(Object(value))));
  });

  const withFile = (change: object) => ({ ...manifest, catalogs: [{ ...catalog, file: { ...file, ...change } }] });
  const withCatalog = (change: object) => ({ ...manifest, catalogs: [{ ...catalog, ...change }] });
  const withLoad = (change: object) => ({ ...manifest, loads: [{ ...load, ...change }] });
  it.each<[string, unknown]>([
    ["a list", []],
    ["null", null],
    ["a text", "x"],
    ["an invalid source beside a valid one", { shop: manifest, other: {} }],
    ["a source that is a list", { shop: [] }],
    ["a name with a path", { "../shop": { ...manifest, catalogs: [] } }],
    ["a name that begins with -", { "-shop": { ...manifest, catalogs: [] } }],
    ["a name with a point at its end", { "shop.": { ...manifest, catalogs: [] } }],
    ["an empty name", { "": { ...manifest, catalogs: [] } }],
    ...[
      ...[{ version: 1 }, { version: "1-0a0a0a0ab" }, { version: "x1-0a0a0a0a" }, { version: "1-0A0a0a0a" }],
      ...[
        { runAs: "root" },
        { runAs: null },
        { catalogs: undefined },
        { catalogs: [7] },
        { loads: {} },
        { loads: [[]] },
      ],
    ].map((change): [string, unknown] => [JSON.stringify(change), { shop: { ...manifest, ...change } }]),
    ...[
      "shop/x1-0a0a0a0a.duckdb",
      "shop/1-0a0a0a0a.duckdbx",
      "shop/1-0a0a0a0a.x.duckdb",
      "shop/1-0a0a0a0a.2",
      "shop",
    ].map((name): [string, unknown] => [name, { shop: withFile({ name }) }]),
    ["a file below another", { shop: withFile({ name: `${file.name}/x` }) }],
    ["a file of another source", { shop: withFile({ name: "other/1-0a0a0a0a.duckdb" }) }],
    ["a part of a byte", { shop: withFile({ bytes: 1.5 }) }],
    ["no checksum", { shop: withFile({ checksum: 7 }) }],
    ["no file", { shop: withCatalog({ file: null }) }],
    ["a catalog without a name", { shop: withCatalog({ name: 7 }) }],
    ["tables of another form", { shop: withCatalog({ tables: {} }) }],
    ["a table without a name", { shop: withCatalog({ tables: [{ ...table, name: 7 }] }) }],
    ["a table without a schema", { shop: withCatalog({ tables: [table, { ...table, schema: null }] }) }],
    ["a load without a catalog", { shop: withLoad({ catalog: null }) }],
    ["a load without a time", { shop: withLoad({ loadedAt: 7 }) }],
    ["a load without an origin", { shop: withLoad({ origin: "x" }) }],
  ])("is refused with %s", (_, value) => expect(parseManifests(value)).toBeUndefined());

  /** Returns a storage with an index in memory, of which each text is recorded. */
  function storage(text?: string, isReplaced: (attempt: number) => boolean = () => true) {
    let index: SourceIndex | undefined = text === undefined ? undefined : { text, version: "1" };
    const texts: string[] = [];
    const files = {
      address: "s3://b",
      index: async (known?: SourceIndex) => (known?.version === index?.version ? known : index),
      async replaceIndex(before: SourceIndex | undefined, after: string) {
        expect(before).toBe(index);
        texts.push(after);
        if (isReplaced(texts.length)) index = { text: after, version: String(texts.length + 1) };
        return isReplaced(texts.length);
      },
    };
    return { files: files as unknown as SourceFiles, texts };
  }
  const indexOf = (sources: object) => `${JSON.stringify({ format: 1, sources }, null, 2)}\n`;
  const after = manifest as unknown as SharedManifest;

  it("is read again only if it has changed", async () => {
    const { files } = storage(indexOf({ shop: manifest }));
    const first = await readSources(files);
    expect([...first.sources]).toEqual([["shop", manifest]]);
    expect(await readSources(files, first)).toBe(first);
    await replaceSource(files, "shop", "1-0a0a0a0a", undefined);
    const second = await readSources(files, first);
    expect([...second.sources]).toEqual([]);
    expect(await readSources(storage().files)).toEqual({ index: undefined, sources: new Map() });
  });

  it("gets sources in the order of their names, and repeats a change that another one has preceded", async () => {
    const { files, texts } = storage(indexOf({ zoo: manifest }).replaceAll("shop/", "zoo/"), (attempt) => attempt > 1);
    expect(await replaceSource(files, "shop", undefined, after)).toBe(true);
    const zoo = JSON.parse(JSON.stringify(manifest).replaceAll("shop/", "zoo/"));
    expect(texts).toEqual(Array(2).fill(indexOf({ shop: manifest, zoo })));
  });

  it("is not changed if the source is another one, or already the new one", async () => {
    const { files, texts } = storage(indexOf({ shop: manifest }));
    expect(await replaceSource(files, "shop", undefined, { ...after, version: "1-0b0b0b0b" })).toBe(false);
    expect(await replaceSource(files, "shop", "1-0b0b0b0b", undefined)).toBe(false);
    expect(await replaceSource(files, "shop", "0-0b0b0b0b", after)).toBe(true);
    expect(await replaceSource(files, "other", "1-0a0a0a0a", undefined)).toBe(true);
    expect(texts).toEqual([]);
  });

  it.each([
    ["{", /^Invalid index of data sources in s3:\/\/b: sources\/index\.json is not of Quern; restore it, or /],
    ['{"format":1}', /^Invalid index of data sources/],
    ['{"format":2,"sources":{}}', /^The data sources in s3:\/\/b have the format of a newer version of Quern; /],
  ])("is refused: %s", async (text, message) => {
    await expect(readSources(storage(text).files)).rejects.toThrow(message);
    await expect(readSources(storage('{"format":1,"sources":{}}').files)).resolves.toMatchObject({
      sources: new Map(),
    });
  });
});
