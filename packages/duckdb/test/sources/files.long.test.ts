import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { addToSource, type LoadRequest, listSources, loadSource } from "../../src/loading.ts";
import { dataDirectorySources } from "../../src/sources/data-directory-sources.ts";
import { readManifest } from "../../src/sources/manifest.ts";
import { inDuckDB, readDatabases } from "./data.ts";

let folder: string;
let made = 0;
beforeAll(async () => {
  folder = await temporaryDirectory();
  await writeFile(join(folder, "codes.csv"), "id,Code,day\n1,0xaa,2026-11-22\n2,007,2026-11-23\n");
  await writeFile(join(folder, "codes.json"), '{"id":1,"Code":7,"day":"2026-11-22","at":{"x":1}}\n');
  await inDuckDB(":memory:", `COPY (SELECT 1 AS id) TO '${folder}/ids.parquet'`);
  await inDuckDB(join(folder, "own.duckdb"), "CREATE TABLE t AS SELECT 1 AS id");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Returns a new source for each load. */
const newPlace = () => ({ dataDir: join(folder, `data-${++made}`), source: "shop" });
type Place = ReturnType<typeof newPlace>;

async function rows({ dataDir }: Place, sql: string): Promise<readonly (readonly unknown[])[]> {
  const [source] = dataDirectorySources(dataDir);
  const path = source?.path ?? "";
  const databases = (readManifest(path)?.catalogs ?? []).map(({ name, file }) => ({ name, path: join(path, file) }));
  return readDatabases(databases, sql);
}

async function added(from: string, request: Omit<LoadRequest, "from"> = {}): Promise<Place> {
  const place = newPlace();
  await addToSource(place, { from: join(folder, from), ...request });
  return place;
}

const typesOf =
  "SELECT column_name || ' ' || data_type FROM duckdb_columns() WHERE table_name = 'codes' ORDER BY column_index";

describe("types of the columns of files", () => {
  it("are those of the request, in any case of the column name, also after a reload", async () => {
    const place = await added("codes.csv", { types: { CODE: "VARCHAR", id: "DECIMAL(10,2)" } });
    const expected = [
      ["1.00", "0xaa", "2026-11-22"],
      ["2.00", "007", "2026-11-23"],
    ];
    expect(await rows(place, "FROM codes")).toEqual(expected);
    await loadSource(place);
    expect(await rows(place, "FROM codes")).toEqual(expected);
    expect((await rows(place, typesOf)).flat()).toEqual(["id DECIMAL(10,2)", "Code VARCHAR", "day DATE"]);
  });

  it("are text for all columns without a type in the request", async () => {
    const place = await added("codes.csv", { allText: true, types: { id: "INTEGER" } });
    expect((await rows(place, typesOf)).flat()).toEqual(["id INTEGER", "Code VARCHAR", "day VARCHAR"]);
    expect(await rows(place, "SELECT Code FROM codes")).toEqual([["0xaa"], ["007"]]);
  });

  it("apply to JSON files", async () => {
    const typed = await added("codes.json", { types: { code: "VARCHAR", day: "VARCHAR" } });
    expect((await rows(typed, typesOf)).flat()).toEqual([
      "id BIGINT",
      "Code VARCHAR",
      "day VARCHAR",
      "at STRUCT(x BIGINT)",
    ]);
    expect(await rows(await added("codes.json", { allText: true }), "FROM codes")).toEqual([
      ["1", "7", "2026-11-22", '{"x":1}'],
    ]);
  });

  it("apply to a directory in which some files lack the column", async () => {
    await mkdir(join(folder, "parts"));
    await writeFile(join(folder, "parts", "1.csv"), "a,b\n1,0xaa\n");
    await writeFile(join(folder, "parts", "2.csv"), "a,c\n2,true\n");
    const place = await added("parts", { types: { b: "VARCHAR" } });
    expect(await rows(place, "FROM parts ORDER BY a")).toEqual([
      ["1", "0xaa", null],
      ["2", null, true],
    ]);
  });

  it.each<[string, Omit<LoadRequest, "from">, string]>([
    ["codes.csv", { types: { coed: "VARCHAR" } }, "Unknown column: coed; did you mean Code?"],
    ["codes.csv", { types: { price: "VARCHAR" } }, "Unknown column: price; use one of "],
    ["codes.csv", { types: { Code: "MONEY" } }, "Invalid type of the column Code: MONEY; use a DuckDB type"],
    ["codes.csv", { types: { Code: "VARCHRA" } }, "Invalid type of the column Code: VARCHRA; did you mean VARCHAR?"],
    ["codes.csv", { types: { Code: "DECIMAL(1" } }, "Invalid type of the column Code: DECIMAL(1;"],
    ["codes.csv", { types: { Code: "INT); SELECT (1" } }, "Invalid type of the column Code: INT); SELECT (1;"],
    [
      "codes.csv",
      { types: { Code: "INTEGER", code: "VARCHAR" } },
      "Conflicting types of the column Code: INTEGER, VARCHAR;",
    ],
    ["codes.csv", { types: { day: "INTEGER" } }, "2026-11-22"],
    ["codes.json", { types: { dya: "DATE" } }, "Unknown column: dya; did you mean day?"],
    ["ids.parquet", { types: { id: "VARCHAR" } }, "have types of their own; remove the flags"],
    ["own.duckdb", { allText: true }, "has types of its own; remove the flags"],
  ])("of %s cannot be %j", async (from, request, message) => {
    await expect(added(from, request)).rejects.toThrow(message);
    await expect(added(from, request)).rejects.toMatchObject({ name: "SourceError" });
  });
});

describe("a table that is named after its file", () => {
  it.each([
    ["seattle-weather.csv", "seattle_weather"],
    ["Seattle Weather (2).csv", "seattle_weather_2"],
    ["2026-sales.csv", "_2026_sales"],
    ["order.csv", "order_"],
    ["v1.2-data.csv", "v1_2_data"],
    ["größe.tsv", "größe"],
    ["a__b.csv", "a__b"],
  ])("%s is %s, which needs no quotes", async (file, table) => {
    const place = newPlace();
    await writeFile(join(folder, file), "n\n1\n");
    expect((await addToSource(place, { from: join(folder, file) })).name).toBe(`shop.main.${table}`);
    expect(await rows(place, `SELECT * FROM ${table}`)).toEqual([["1"]]);
  });

  it("has the name of its directory, or of the files of a glob", async () => {
    await mkdir(join(folder, "daily-logs"));
    await writeFile(join(folder, "daily-logs", "part-1.csv"), "n\n1\n");
    const place = newPlace();
    expect((await addToSource(place, { from: join(folder, "daily-logs") })).name).toBe("shop.main.daily_logs");
    expect((await addToSource(place, { from: join(folder, "daily-logs", "part-*.csv") })).name).toBe("shop.main.part");
  });

  it("is refused if its name is in use, with the origin of the other table and what to do", async () => {
    const place = newPlace();
    for (const file of ["sea-level.csv", "sea level.csv"]) await writeFile(join(folder, file), "n\n1\n");
    await addToSource(place, { from: join(folder, "sea-level.csv") });
    const second = addToSource(place, { from: join(folder, "sea level.csv") });
    await expect(second).rejects.toThrow(/already in use .*shop\.main\.sea_level.*sea-level\.csv.*--as/);
    await addToSource(place, { from: join(folder, "sea level.csv"), as: "other" });
    expect((await listSources(place.dataDir)).map(({ table }) => table)).toEqual([
      "shop.main.other",
      "shop.main.sea_level",
    ]);
  });

  it("needs a name if the file name has no letter or digit", async () => {
    await writeFile(join(folder, "--.csv"), "n\n1\n");
    await expect(added("--.csv")).rejects.toThrow(/last name in .*--\.csv has no letter or digit.*--as/);
  });
});
