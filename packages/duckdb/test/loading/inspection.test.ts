import { mkdir, rm, writeFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { SourceFiles } from "@quern/adapter";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { folderPlace, refuseFile, withoutTables } from "../../src/loading/folder-place.ts";
import { checkSources, listEngineSources, listSources } from "../../src/loading/inspection.ts";
import { engineSourcesOf } from "../../src/sources/data-directory-sources.ts";
import { writeManifest } from "../../src/sources/manifest.ts";
import type { TableLoad } from "../../src/sources/origin.ts";
import { inDuckDB } from "../sources/data.ts";

let dataDir: string;
const path = (name: string) => join(dataDir, "sources", name);
beforeEach(async () => {
  dataDir = await temporaryDirectory();
  await mkdir(path("shop"), { recursive: true });
});
afterEach(() => rm(dataDir, { recursive: true }));

const load = (catalog: string, schema: string | null, table: string | null, from: string): TableLoad => ({
  catalog,
  schema,
  table,
  loadedAt: `${from} time`,
  origin: { kind: "files", path: from },
});

describe("the lists and checks of a data directory", () => {
  it("name the load of each table, and the file that cannot be read", async () => {
    const statements = [
      "create schema a",
      "create schema b",
      ...["a.t", "a.u", "b.t", "main.t"].map((name) => `create table ${name} as from range(2)`),
    ];
    await inDuckDB(path("shop/1.duckdb"), ...statements);
    await inDuckDB(path("shop/2.duckdb"), "create table t as from range(1)");
    const catalogs = ["shop", "other"].map((name, index) => ({ name, file: `${index + 1}.duckdb` }));
    const loads = [
      load("shop", "a", "t", "1"),
      load("shop", "b", null, "2"),
      load("other", null, null, "3"),
      load("shop", null, "u", "4"),
    ];
    await writeManifest(path("shop"), { version: "1", catalogs, loads });
    await writeFile(path("bad.duckdb"), "no database");
    const row = (table: string, from: string | null, rows = 2) => ({
      source: "shop",
      table,
      rows,
      from,
      loadedAt: from === null ? null : `${from} time`,
    });
    expect(await listSources(dataDir, "shop")).toEqual([
      row("shop.a.t", "1"),
      row("shop.a.u", "4"),
      row("shop.b.t", "2"),
      row("shop.main.t", null),
      row("other.main.t", "3", 1),
    ]);
    await expect(listSources(dataDir)).rejects.toMatchObject({ name: "SourceError" });
    const checked = await checkSources(dataDir);
    const ok = { ok: true, problem: null };
    expect(checked).toEqual([
      {
        source: "bad",
        table: path("bad.duckdb"),
        rows: null,
        ok: false,
        problem: expect.stringContaining("valid DuckDB"),
      },
      ...["a.t", "a.u", "b.t", "main.t"].map((name) => ({ source: "shop", table: `shop.${name}`, rows: 2, ...ok })),
      { source: "shop", table: "other.main.t", rows: 1, ...ok },
    ]);
    expect(await checkSources(dataDir, "none")).toEqual([]);
  });

  it("name the absolute path of a directory that does not exist", async () => {
    const missing = join(dataDir, "missing");
    await expect(listSources(relative(process.cwd(), missing))).rejects.toThrow(
      `No data directory: ${missing}; check --data-dir`,
    );
  });

  it("have sources of other engines apart", async () => {
    await writeFile(path("lake.json"), '{"kind":"trino","address":"trino://h"}');
    await writeFile(path("files.json"), '{"kind":"own","path":"/x"}');
    await writeFile(path("none.json"), '{"kind":"own"}');
    await writeFile(path("duck.json"), '{"kind":"duckdb","path":"/x"}');
    const nothing = { table: null, rows: null, loadedAt: null };
    expect(listEngineSources(dataDir)).toEqual([
      { source: "files", from: "/x", ...nothing },
      { source: "lake", from: "trino://h", ...nothing },
      { source: "none", from: null, ...nothing },
    ]);
    expect(listEngineSources(dataDir, "lake")).toEqual([{ source: "lake", from: "trino://h", ...nothing }]);
    expect(engineSourcesOf(dataDir, "files").map(({ name, kind }) => [name, kind])).toEqual([["files", "own"]]);
    await rm(path("duck.json"));
    expect(await listSources(dataDir)).toEqual([]);
  });
});

it("checks the tables of a shared storage, and names a file that is missing", async () => {
  await inDuckDB(path("a.duckdb"), "create table t as from range(3)");
  const file = (name: string) => ({ name: `shop/1-0a0a0a0a${name}.duckdb`, bytes: 1, checksum: "0" });
  const tables = [{ schema: "main", name: "t", rows: 7 }];
  const catalogs = [
    { name: "shop", file: file(""), tables },
    { name: "gone", file: file(".2"), tables },
  ];
  const shop = { version: "1-0a0a0a0a", catalogs, loads: [load("shop", null, null, "/a")] };
  let released = 0;
  const files = {
    address: "s3://b",
    index: async () => ({ version: "1", text: JSON.stringify({ format: 1, sources: { shop } }) }),
    open: async ({ name }: { readonly name: string }) =>
      name.includes(".2.") ? undefined : { path: path("a.duckdb"), release: async () => void released++ },
  } as unknown as SourceFiles;
  expect(await listSources(files)).toEqual([
    { source: "shop", table: "shop.main.t", rows: 7, from: "/a", loadedAt: "/a time" },
    { source: "shop", table: "gone.main.t", rows: 7, from: null, loadedAt: null },
  ]);
  expect(released).toBe(0);
  const problem = "Missing file: shop/1-0a0a0a0a.2.duckdb in s3://b";
  expect(await checkSources(files, "shop")).toEqual([
    { source: "shop", table: "shop.main.t", rows: 3, ok: true, problem: null },
    { source: "shop", table: "shop/1-0a0a0a0a.2.duckdb", rows: null, ok: false, problem },
  ]);
  expect(released).toBe(1);
});

describe("the place of a source in a data directory", () => {
  it("is free unless a file has its name", async () => {
    expect(() => folderPlace(dataDir, "shop").requireFree()).not.toThrow();
    for (const name of ["own.duckdb", "lake.json"]) {
      await writeFile(path(name), "");
      const [source = ""] = name.split(".");
      const message = `Name of a source already in use: ${source} is the file ${path(name)}; remove the file or choose another name`;
      expect(() => folderPlace(dataDir, source).requireFree()).toThrow(message);
      expect(() => refuseFile(source, path(name))).toThrow(message);
    }
  });

  it("is that of an existing source only if tables are loaded into it", async () => {
    const refused = (source: string) =>
      folderPlace(dataDir, source)
        .requireExisting()
        .catch(({ message }) => message);
    expect(await refused("shop")).toBe(
      `Unknown source: shop in ${dataDir}; list the sources with \`quern sources list\``,
    );
    await writeFile(path("own.duckdb"), "");
    expect(await refused("own")).toBe(
      `Source not loaded by \`quern sources\`: own is the file ${path("own.duckdb")}; replace or remove that file`,
    );
    await writeFile(path("own.json"), "");
    expect(await refused("own")).toBe(withoutTables("own").message);
    await writeManifest(path("shop"), { version: "1", catalogs: [], loads: [] });
    expect(await refused("shop")).toBeUndefined();
    await folderPlace(dataDir, "shop").change(async () => [], "user");
    expect(await refused("shop")).toBeUndefined();
    await folderPlace(dataDir, "shop").remove();
    expect(await refused("shop")).toContain("Unknown source: shop");
  });
});
