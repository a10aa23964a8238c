import { mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createSourceCatalog } from "../../../server/src/sources/catalog.ts";
import { eventually, temporaryDirectory } from "../../../server/test/fixture.ts";
import { describeSourceCatalog } from "../../../server/test/sources/catalog-contract.ts";
import { addToSource, checkSources, listSources, loadSource, removeFromSource } from "../../src/loading.ts";
import { sourceKindOf } from "../../src/source-kind.ts";
import { dataDirectorySources } from "../../src/sources/data-directory-sources.ts";
import type { HeldDatabases } from "../../src/sources/held-data.ts";
import { idleExecutor } from "../executor/idle-executor.ts";
import { inDuckDB, readDatabases, writeExports } from "./data.ts";

const added = async (...load: Parameters<typeof addToSource>) => (await addToSource(...load)).name;
const reloaded = async (...load: Parameters<typeof loadSource>) => (await loadSource(...load)).map(({ name }) => name);
let exported: string;
let dataDir: string;
const folders: string[] = [];
const newFolder = async () => {
  const folder = await temporaryDirectory();
  folders.push(folder);
  return folder;
};
beforeAll(async () => {
  exported = await newFolder();
  await writeExports(exported);
  dataDir = await newFolder();
});
afterAll(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

const visible = async (directory: string) =>
  (await readdir(join(directory, "sources"))).filter((name) => !name.startsWith("."));

/** Only the data is read; no statement starts. */
const kindIn = (directory: string) => sourceKindOf(idleExecutor, join(directory, "links"));

const catalogOf = (directory: string) =>
  createSourceCatalog(() => dataDirectorySources(directory), new Map([["duckdb", kindIn(directory)]]));

async function rows(directory: string, source: string, query: string): Promise<readonly unknown[]> {
  const catalog = catalogOf(directory);
  const found = catalog.named(source);
  if (found === undefined) throw new Error(`there is no source ${source}`);
  const held = await kindIn(directory).hold(found);
  const read = await readDatabases(held.databases, query);
  await held.release();
  return read;
}

describe("a loaded source", () => {
  describeSourceCatalog(async () => {
    const directory = await newFolder();
    const file = join(directory, "numbers.csv");
    const replace = async (n: number) => {
      await writeFile(file, `n\n${n}\n`);
      await loadSource({ dataDir: directory, source: "data" });
    };
    await writeFile(file, "n\n0\n");
    await addToSource({ dataDir: directory, source: "data" }, { from: file });
    return {
      catalog: catalogOf(directory),
      replace,
      read: async (data) =>
        (await readDatabases((data as HeldDatabases).databases, "FROM numbers")).map(([n]) => Number(n)),
    };
  });

  it("leaves no file of an earlier version, and no second name of one", async () => {
    const directory = await newFolder();
    const place = { dataDir: directory, source: "shop" };
    await addToSource(place, { from: join(exported, "customers.csv") });
    const catalog = catalogOf(directory);
    const source = catalog.named("shop");
    const held = source && (await kindIn(directory).hold(source));
    await loadSource(place);
    expect((await readdir(join(directory, "sources/shop"))).filter((name) => name.endsWith(".duckdb"))).toHaveLength(1);
    await held?.release();
    await eventually(async () => (await readdir(join(directory, "links"))).length === 0);
  });
});

describe("loading", () => {
  it("loads a directory, a glob, a file of each format and tables of a DuckDB file, under names of three parts", async () => {
    const place = { dataDir, source: "shop" };
    const other = join(exported, "other.duckdb");
    await inDuckDB(
      other,
      "CREATE TABLE stock AS SELECT 7 AS pieces",
      "CREATE VIEW doubled AS SELECT pieces * 2 AS n FROM stock",
    );
    expect(await added(place, { from: join(exported, "orders") })).toBe("shop.main.orders");
    expect(await added(place, { from: join(exported, "*.csv"), as: "crm.customers" })).toBe("shop.crm.customers");
    expect(await added(place, { from: join(exported, "events.jsonl"), as: "logs.core.events" })).toBe(
      "logs.core.events",
    );
    expect(await added(place, { from: other, table: "stock" })).toBe("shop.main.stock");
    expect(await added(place, { from: other, as: "warehouse" })).toBe("warehouse");
    const joined = `SELECT name, count(*), bool_or(paid) FROM orders JOIN crm.customers c ON c.id = customer_id
      GROUP BY name ORDER BY name`;
    expect(await rows(dataDir, "shop", joined)).toEqual([
      ["Ada", "3", true],
      ["Grace", "1", null],
    ]);
    const counts = `SELECT (SELECT count(*) FROM logs.core.events WHERE day > DATE '2026-11-20'),
      (SELECT pieces FROM shop.main.stock), (SELECT n FROM warehouse.main.doubled)`;
    expect(await rows(dataDir, "shop", counts)).toEqual([["1", 7, 14]]);
  });

  it("refuses to list and check the tables of a directory that does not exist", async () => {
    const missing = join(dataDir, "missing");
    const expected = `No data directory: ${missing}; check --data-dir`;
    await expect(listSources(missing)).rejects.toThrow(expected);
    await expect(checkSources(missing)).rejects.toThrow(expected);
  });

  it("lists tables with their origins, also those of a file of the operator", async () => {
    await inDuckDB(join(dataDir, "sources/own.duckdb"), "CREATE TABLE t AS FROM range(5)");
    const listed = await listSources(dataDir);
    expect(listed.map(({ source, table, rows }) => [source, table, rows])).toEqual([
      ["own", "own.main.t", 5],
      ["shop", "shop.crm.customers", 2],
      ["shop", "shop.main.orders", 4],
      ["shop", "shop.main.stock", 1],
      ["shop", "logs.core.events", 2],
      ["shop", "warehouse.main.doubled", null],
      ["shop", "warehouse.main.stock", 1],
    ]);
    expect(listed.find(({ table }) => table === "shop.main.orders")).toMatchObject({
      from: join(exported, "orders"),
      loadedAt: expect.stringMatching(/^\d{4}-.*Z$/),
    });
    expect(listed[0]).toMatchObject({ from: null, loadedAt: null });
  });

  it("treats names that differ in case as equal, as the engine does", async () => {
    const place = { dataDir: await newFolder(), source: "Shop" };
    const from = join(exported, "customers.csv");
    expect(await added(place, { from, as: "shop.Main.a" })).toBe("Shop.main.a");
    expect(await added(place, { from, as: "CRM.Core.b" })).toBe("CRM.Core.b");
    expect(await added(place, { from, as: "crm.core.c" })).toBe("CRM.Core.c");
    expect(await reloaded(place)).toEqual(["Shop.main.a", "CRM.Core.b", "CRM.Core.c"]);
    expect(await reloaded(place, ["crm.core.B", "A"])).toEqual(["Shop.main.a", "CRM.Core.b"]);
    const counts = "SELECT (SELECT count(*)::INT FROM a), (SELECT count(*)::INT FROM crm.core.c)";
    expect(await rows(place.dataDir, "Shop", counts)).toEqual([[2, 2]]);
    expect((await listSources(place.dataDir)).map((table) => table.from)).toEqual([from, from, from]);
    await expect(addToSource(place, { from, as: "crm.CORE.B" })).rejects.toThrow(
      "already in use in source Shop: CRM.Core.b",
    );
  });

  it("ignores files with the names of the engine's catalogs", async () => {
    const directory = await newFolder();
    await mkdir(join(directory, "sources"));
    for (const name of ["Temp", "system", "mine"]) await writeFile(join(directory, `sources/${name}.duckdb`), "");
    expect(dataDirectorySources(directory).map(({ name }) => name)).toEqual(["mine"]);
  });

  it("loads all files of a directory in any case of their endings, also later ones", async () => {
    const directory = await newFolder();
    const folder = join(directory, "counts");
    const place = { dataDir: directory, source: "shop" };
    await mkdir(folder);
    const count = async () => (await rows(directory, "shop", "SELECT count(*)::INT FROM counts"))[0];
    await writeFile(join(folder, "ONE.CSV"), "n\n1\n");
    await addToSource(place, { from: folder });
    expect(await count()).toEqual([1]);
    await writeFile(join(folder, "two.csv"), "n\n2\n");
    await writeFile(join(folder, "three.Tsv"), "n\n3\n");
    await loadSource(place);
    expect(await count()).toEqual([3]);
  });

  it("loads one table again, and removes tables and sources", async () => {
    const place = { dataDir, source: "shop" };
    const file = join(exported, "customers.csv");
    await writeFile(file, "id,name\n1,Ada\n2,Grace\n3,Edith\n");
    expect(await reloaded(place, ["customers"])).toEqual(["shop.crm.customers"]);
    expect(
      await rows(dataDir, "shop", "SELECT count(*)::INT, (SELECT count(*)::INT FROM orders) FROM crm.customers"),
    ).toEqual([[3, 4]]);
    await removeFromSource(place, ["crm.customers", "warehouse"]);
    const left = (await listSources(dataDir, "shop")).map(({ table }) => table);
    expect(left).toEqual(["shop.main.orders", "shop.main.stock", "logs.core.events"]);
    await removeFromSource(place);
    expect(await listSources(dataDir, "shop")).toEqual([]);
    expect(catalogOf(dataDir).named("shop")).toBeUndefined();
  });

  it("keeps the present tables after a failed load, and leaves no file of it", async () => {
    const directory = await newFolder();
    const place = { dataDir: directory, source: "shop" };
    const file = join(directory, "prices.csv");
    await writeFile(file, "price\n1\n");
    await addToSource(place, { from: file });
    await rm(file);
    await expect(loadSource(place)).rejects.toMatchObject({ name: "SourceError" });
    expect(await rows(directory, "shop", "FROM prices")).toEqual([["1"]]);
    await expect(addToSource({ ...place, source: "empty" }, { from: join(directory, "no.csv") })).rejects.toThrow(
      "No Parquet, Arrow, CSV or JSON file found",
    );
    expect(await visible(directory)).toEqual(["shop"]);
    const kept = await readdir(join(directory, "sources/shop"));
    expect(kept.filter((name) => !/^(\d+-\w+\.duckdb|current\.json)$/.test(name))).toEqual([]);
  });

  it("checks each table and view, and continues after one that cannot be read", async () => {
    const directory = await newFolder();
    await mkdir(join(directory, "sources"), { recursive: true });
    await inDuckDB(
      join(directory, "sources/own.duckdb"),
      "CREATE TABLE a AS SELECT 1 AS n; CREATE TABLE gone (n INT); CREATE VIEW broken AS FROM gone; DROP TABLE gone; CREATE TABLE c AS FROM range(2)",
    );
    expect(await checkSources(directory)).toMatchObject([
      { source: "own", table: "own.main.a", ok: true, rows: 1, problem: null },
      { source: "own", table: "own.main.broken", ok: false, rows: null, problem: expect.stringContaining("gone") },
      { source: "own", table: "own.main.c", ok: true, rows: 2, problem: null },
    ]);
  });

  it("reports a damaged file", async () => {
    const directory = await newFolder();
    await addToSource({ dataDir: directory, source: "good" }, { from: join(exported, "events.jsonl") });
    await writeFile(join(directory, "sources/bad.duckdb"), "no database");
    const checked = await checkSources(directory);
    expect(checked).toMatchObject([
      { source: "bad", ok: false, rows: null, problem: expect.stringContaining("valid DuckDB") },
      { source: "good", table: "good.main.events", ok: true, rows: 2, problem: null },
    ]);
  });

  it.each([
    [{ from: "customers.csv", as: "main.orders" }, "already in use in source shop: shop.main.orders"],
    [
      { from: "customers.csv", as: "a.b.c.d" },
      "Invalid --as: a.b.c.d; use table, schema.table or catalog.schema.table",
    ],
    [{ from: "customers.csv", as: "temp.main.t" }, "Invalid name of a catalog: temp"],
    [{ from: "customers.csv", table: "t" }, "Invalid flags --table and --schema"],
    [{ from: "." }, "Files of several formats"],
    [{ from: "no.duckdb" }, "File not found"],
    [{ from: "postgres://me:secret@localhost/db" }, "set PGPASSWORD"],
  ])("says what to do about %j", async (request, message) => {
    const directory = await newFolder();
    const place = { dataDir: directory, source: "shop" };
    const at = ({ from, ...rest }: { from: string }) => ({
      ...rest,
      from: from.includes(":") ? from : join(exported, from),
    });
    await addToSource(place, at({ from: "orders" }));
    await expect(addToSource(place, at(request))).rejects.toThrow(message);
  });

  it("refuses invalid names, and a second load at the same time", async () => {
    const request = { from: join(exported, "orders") };
    for (const source of ["../up", "shop/../..", "a b", "", "-a", "a".repeat(64), "temp"])
      await expect(addToSource({ dataDir, source }, request)).rejects.toThrow("Invalid name of a source");
    await expect(addToSource({ dataDir, source: "own" }, request)).rejects.toThrow("own.duckdb");
    await expect(loadSource({ dataDir, source: "nope" })).rejects.toThrow("Unknown source: nope");
    const together = await Promise.allSettled([1, 2].map(() => addToSource({ dataDir, source: "once" }, request)));
    expect(together.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it("removes a source in one step, and not during a load", async () => {
    const directory = await newFolder();
    const place = { dataDir: directory, source: "shop" };
    await addToSource(place, { from: join(exported, "orders") });
    const together = await Promise.allSettled([loadSource(place), removeFromSource(place)]);
    expect(together.find(({ status }) => status === "rejected")).toMatchObject({ reason: { name: "SourceError" } });
    await removeFromSource(place).catch(() => {}); // it may have been the faster one
    expect(await visible(directory)).toEqual([]);
    await expect(loadSource(place)).rejects.toThrow("Unknown source: shop");
  });

  it("finishes a removal that was killed", async () => {
    const directory = await newFolder();
    const place = { dataDir: directory, source: "shop" };
    await addToSource(place, { from: join(exported, "orders") });
    const sources = join(directory, "sources");
    await rename(join(sources, "shop"), join(sources, ".removed-0"));
    expect(dataDirectorySources(directory)).toMatchObject([{ name: "none" }]);
    await addToSource(place, { from: join(exported, "orders") });
    expect(await readdir(sources)).toEqual([".shop.lock", "shop"]);
  });
});

it("keeps the setting `runAs` until a load changes it", async () => {
  const directory = await newFolder();
  const place = { dataDir: directory, source: "people" };
  const runAs = () => dataDirectorySources(directory).map((source) => source.runAs);
  const from = join(exported, "customers.csv");
  await addToSource(place, { from, as: "a" });
  expect(runAs()).toEqual(["fixed"]);
  await addToSource(place, { from, as: "b", runAs: "user" });
  await addToSource(place, { from, as: "c" });
  await loadSource(place);
  expect(runAs()).toEqual(["user"]);
  expect(catalogOf(directory).named("people")?.runAs).toBe("user");
  await addToSource(place, { from, as: "d", runAs: "fixed" });
  expect(runAs()).toEqual(["fixed"]);
});
