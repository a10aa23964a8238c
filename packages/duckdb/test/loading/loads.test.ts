import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { SourceFiles } from "@quern/adapter";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { addEngineSource, addToSource, type EngineSource, loadSource, removeFromSource } from "../../src/loading.ts";
import { readEngineSource } from "../../src/sources/engine-source.ts";
import { readManifest, writeManifest } from "../../src/sources/manifest.ts";
import type { TableLoad } from "../../src/sources/origin.ts";

let dataDir: string;
beforeEach(async () => {
  dataDir = await temporaryDirectory();
  await writeFile(join(dataDir, "t.csv"), "n\n1\n");
});
afterEach(() => rm(dataDir, { recursive: true }));

const path = (name: string) => join(dataDir, "sources", name);
const shop = () => ({ dataDir, source: "shop" });
const lake = { kind: "trino", address: "trino://h" };

describe("a source of another engine", () => {
  it("is checked with the identity that it keeps, and stored only then", async () => {
    const checked: EngineSource[] = [];
    const check = async (source: EngineSource) => void checked.push(source);
    await addEngineSource(shop(), { ...lake, runAs: "user" }, check);
    await addEngineSource(shop(), { ...lake, address: "trino://other" }, check);
    const second = { ...lake, address: "trino://other", runAs: "user" };
    expect(checked).toEqual([{ ...lake, runAs: "user" }, second]);
    await expect(addEngineSource(shop(), lake, () => Promise.reject(new Error("away")))).rejects.toThrow("away");
    expect([readEngineSource(path("shop.json")), await readdir(path(""))]).toEqual([second, ["shop.json"]]);
    await addEngineSource({ ...shop(), source: "new" }, lake);
    expect(readEngineSource(path("new.json"))).toEqual(lake);
  });

  it("is removed as a whole only", async () => {
    await addEngineSource(shop(), lake);
    await expect(removeFromSource(shop(), ["t"])).rejects.toThrow(
      "Source without loaded tables: shop is queried in place",
    );
    await expect(loadSource(shop())).rejects.toThrow("Source without loaded tables: shop is queried in place");
    await removeFromSource(shop());
    await expect(removeFromSource(shop())).rejects.toThrow(`Unknown source: shop in ${dataDir}`);
  });

  it.each(["", "-a", "temp"])("cannot have the name %j", async (source) => {
    await expect(addEngineSource({ dataDir, source }, lake)).rejects.toThrow("Invalid name of a source");
    await expect(removeFromSource({ dataDir, source })).rejects.toThrow("Invalid name of a source");
  });

  it("cannot have the name of loaded tables or of a file", async () => {
    await mkdir(path("shop"), { recursive: true });
    await writeManifest(path("shop"), { version: "1", catalogs: [], loads: [] });
    await expect(addEngineSource(shop(), lake)).rejects.toThrow(
      "Name of a source already in use: shop has loaded tables; remove them with `quern sources remove shop`, or choose another name",
    );
    await writeFile(path("own.duckdb"), "");
    await expect(addEngineSource({ dataDir, source: "own" }, lake)).rejects.toThrow(
      `own is the file ${path("own.duckdb")}`,
    );
    const index = { version: "1", text: '{"format":1,"sources":{}}' };
    const files = { address: "s3://b", index: async () => index } as unknown as SourceFiles;
    await addEngineSource({ dataDir, source: "new", files }, lake);
    expect(readEngineSource(path("new.json"))).toEqual(lake);
  });
});

describe("the tables of a source", () => {
  const add = (as: string) => addToSource(shop(), { from: join(dataDir, "t.csv"), as }).then(({ name }) => name);
  const loads = () =>
    readManifest(path("shop"))?.loads.map(({ catalog, schema, table }) => `${catalog}.${schema}.${table}`);

  it("have the case that other loads use, are chosen by the end of their names, and are removed", async () => {
    expect(await add("a")).toBe("shop.main.a");
    expect(await add("Sales.a")).toBe("shop.Sales.a");
    expect(await add("SHOP.SALES.B")).toBe("shop.Sales.B");
    expect(await add("CRM.sales.xa")).toBe("CRM.sales.xa");
    expect(await add("crm.Sales.c")).toBe("CRM.sales.c");
    const before = readManifest(path("shop"))?.loads ?? [];
    expect((await loadSource(shop(), ["A"])).map(({ name }) => name)).toEqual(["shop.main.a", "shop.Sales.a"]);
    const after = readManifest(path("shop"))?.loads ?? [];
    expect(after.map((load, index) => load.loadedAt > (before[index]?.loadedAt ?? ""))).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(after.map(({ origin }: TableLoad) => origin)).toEqual(before.map(({ origin }) => origin));
    await expect(loadSource(shop(), ["main.a", "none"])).rejects.toThrow(
      "Unknown table of source shop: none; use one of shop.main.a, shop.Sales.a, shop.Sales.B, CRM.sales.xa, CRM.sales.c",
    );
    await removeFromSource(shop(), ["crm.sales.c", "shop.sales.a"]);
    expect(loads()).toEqual(["shop.main.a", "shop.Sales.B", "CRM.sales.xa"]);
    await removeFromSource(shop(), ["xa"]);
    expect(readManifest(path("shop"))?.catalogs.map(({ name }) => name)).toEqual(["shop"]);
    await expect(removeFromSource(shop(), ["main.a", "b"])).rejects.toThrow(
      "Source without tables: shop would have no table left; remove the source with `quern sources remove shop`",
    );
    await removeFromSource(shop());
    expect(await readdir(path(""))).toEqual([".shop.lock"]);
  });

  it("are not there after the source has just been removed", async () => {
    await mkdir(path("shop"), { recursive: true });
    await writeManifest(path("shop"), { version: "1", catalogs: [], loads: [] });
    await expect(loadSource(shop())).rejects.toThrow(
      "Unknown source: shop has just been removed; add it with `quern sources add`",
    );
  });
});
