import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { filesOf, isDataFile, noFiles, withoutEnding } from "../../src/loading/files.ts";
import { checkSourceName, type LoadRequest, parseLoadRequest } from "../../src/loading/request.ts";

let folder: string;
beforeAll(async () => {
  folder = await temporaryDirectory();
  await mkdir(join(folder, "dir.duckdb"));
  await mkdir(join(folder, "[odd]*", "below"), { recursive: true });
  for (const name of ["a.csv", "a.duckdb", "a.DB", "a.ddb", "dup.csv.gz", "12.csv", "order.csv"])
    await writeFile(join(folder, name), "");
  for (const name of ["x.csv", "below/y.CSV", "below/z.tsv.gz", "none.txt"])
    await writeFile(join(folder, "[odd]*", name), "");
});
afterAll(() => rm(folder, { recursive: true }));

const parse = (request: LoadRequest) => parseLoadRequest("shop", request, "now");
const inFolder = (request: LoadRequest) => parse({ ...request, from: join(folder, request.from) });

it.each(["a", "A-9_", "0", "a".repeat(63), "memory2"])("accepts the name of a source %s", (name) =>
  expect(checkSourceName(name)).toBe(name),
);
it.each(["", "-a", "_a", "a.b", "a b", "a\n", "ä", "a".repeat(64), "Memory", "system", "TEMP"])(
  "refuses the name of a source %j",
  (name) =>
    expect(() => checkSourceName(name)).toThrow(
      `Invalid name of a source: ${JSON.stringify(name)}; use at most 63 letters, digits, - and _, begin with a letter or digit, `,
    ),
);

describe("the origin of a load", () => {
  it.each<[LoadRequest, object]>([
    [{ from: "a.duckdb" }, { catalog: "shop", schema: null, table: null, origin: {} }],
    [
      { from: "a.DB", as: "lake" },
      { catalog: "lake", schema: null, table: null },
    ],
    [
      { from: "a.ddb", table: "t" },
      { schema: "main", table: "t", origin: { schema: "main", table: "t" } },
    ],
    [
      { from: "a.ddb", table: "s.t" },
      { table: "t", origin: { schema: "s", table: "t" } },
    ],
    [
      { from: "a.ddb", table: "t", schema: "s" },
      { schema: "main", table: "t", origin: { schema: "s", table: "t" } },
    ],
    [
      { from: "a.ddb", table: "t", as: "u" },
      { schema: "main", table: "u", origin: { schema: "main", table: "t" } },
    ],
    [
      { from: "a.csv", allText: true },
      { table: "a", origin: { allText: true } },
    ],
    [{ from: "a.csv", allText: false, types: {} }, { origin: { types: {} } }],
    [
      { from: "a.csv", as: "s.t" },
      { catalog: "shop", schema: "s", table: "t" },
    ],
    [
      { from: "a.csv", as: "c.s.t" },
      { catalog: "c", schema: "s", table: "t" },
    ],
    [{ from: "dup.csv.gz" }, { table: "dup" }],
    [{ from: "12.csv" }, { table: "_12" }],
    [{ from: "order.csv" }, { table: "order_" }],
  ])("%o is in its folder", async (request, { origin, ...expected }: { origin?: object }) => {
    const path = join(folder, request.from);
    const load = await inFolder(request);
    expect(load).toMatchObject({ ...expected, loadedAt: "now" });
    expect(load.origin).toEqual({ kind: request.from.includes(".csv") ? "files" : "duckdb", path, ...origin });
  });

  it.each<[LoadRequest, object, object]>([
    [{ from: "postgres://me@h/d" }, { schema: "public" }, { schema: "main", table: null }],
    [
      { from: "PostgreSQL://h/d", table: "t" },
      { schema: "public", table: "t" },
      { schema: "main", table: "t" },
    ],
    [
      { from: "postgres://h/d", table: "s.t" },
      { schema: "s", table: "t" },
      { schema: "main", table: "t" },
    ],
    [{ from: "postgres://h/d", schema: "s" }, { schema: "s" }, { schema: "main", table: null }],
    [
      { from: "postgres://h/d?sslmode=require", schema: "s", table: "t", as: "a.b" },
      { schema: "s", table: "t" },
      { schema: "a", table: "b" },
    ],
  ])("%o is a PostgreSQL database", async (request, origin, names) => {
    expect(await parse(request)).toEqual({
      catalog: "shop",
      ...names,
      loadedAt: "now",
      origin: { kind: "postgres", url: request.from, ...origin },
    });
  });

  it.each<[LoadRequest, string]>([
    [{ from: "postgres://h/d?password=x" }, "it has a password, which is not stored"],
    [{ from: "postgres://h/d?sslPassword=x" }, "it has a password, which is not stored"],
    [{ from: "postgres://" }, "Invalid URL of a PostgreSQL database"],
    [{ from: "postgres://h/d", types: {} }, "Invalid flag --type: it names a column of one table; add --table"],
    [{ from: "postgres://h/d", table: "a.b.c" }, "Invalid --table: a.b.c; use table or schema.table"],
    [{ from: "postgres://h/d", as: "a.b.c" }, "Invalid --as: a.b.c; use schema or catalog.schema for this origin"],
    [{ from: "postgres://h/d", as: "temp.b" }, "Invalid name of a catalog: temp; the engine reserves it"],
    [{ from: "s3://me@b/a.csv" }, "it has credentials"],
    ...["password", "clientSecret", "session-Token", "KEY", "credentials", "signature"].map(
      (name): [LoadRequest, string] => [{ from: `s3://b/a.csv?x=1&${name}=h` }, "it has credentials"],
    ),
    [{ from: "s3://b/a.csv", schema: "x" }, "Invalid flags --table and --schema"],
    [{ from: "foo+bar.x-1://y" }, "Unknown kind of address: foo+bar.x-1://…; expected a path"],
    [{ from: "clickhous://y" }, "query in place; did you mean clickhouse://?"],
    [{ from: "s3x://y" }, "Unknown kind of address: s3x://…"],
    [{ from: "xs3://y" }, "Unknown kind of address: xs3://…"],
    [{ from: "ftp:me:hidden@h" }, "Unknown kind of address: ftp://…"],
    [{ from: "s3://b/--.csv" }, "No name for the table: the last name in /--.csv has no letter or digit"],
  ])("cannot be %o", async (request, message) => {
    const refused = await parse(request).catch((error: Error) => error);
    expect(refused).toMatchObject({ name: "SourceError", message: expect.stringContaining(message) });
  });

  it.each<[LoadRequest, string]>([
    [{ from: "dir.duckdb" }, "File not found: "],
    [{ from: "a.duckdb", schema: "s" }, "Invalid flag --schema: s;"],
    [{ from: "a.duckdb", as: "a.b" }, "Invalid --as: a.b; use catalog for this origin"],
    [{ from: "a.duckdb", as: "system" }, "Invalid name of a catalog: system"],
    [{ from: "a.csv", as: "a.b.c.d" }, "Invalid --as: a.b.c.d; use table, schema.table or catalog.schema.table"],
    [{ from: "a.csv", as: "a..c" }, "Invalid --as: a..c; its parts must not be empty or contain double quotes"],
    [{ from: "a.csv", as: "" }, "Invalid --as: ; its parts must not be empty"],
    [{ from: "a.csv", as: 'a"b' }, "its parts must not be empty or contain double quotes"],
    [{ from: "a.csv", as: "a\0" }, "its parts must not be empty or contain double quotes"],
    [{ from: "a.csv", table: "t" }, "files have neither; remove the flags, and name the table with --as"],
    [{ from: "none.csv" }, "No Parquet, Arrow, CSV or JSON file found: "],
  ])("in a folder cannot be %o", async (request, message) => {
    await expect(inFolder(request)).rejects.toThrow(message);
  });

  it("is a path also with a colon or a drive letter", async () => {
    for (const from of ["C:/nowhere.csv", "c:nowhere.csv", "2026:a@b.csv", "no where://a.csv"])
      await expect(parse({ from })).rejects.toThrow("No Parquet, Arrow, CSV or JSON file found: ");
  });
});

describe("files", () => {
  it("of a folder have endings in any case, and wildcards of the folder are literal", async () => {
    const path = join(folder, "[odd]*");
    const inPath = (...names: string[]) => names.map((name) => ({ path: join(path, name), shown: join(path, name) }));
    expect(await filesOf(path)).toEqual({
      format: "csv",
      files: inPath("below/y.CSV", "below/z.tsv.gz", "x.csv"),
      skipped: 0,
    });
    expect((await filesOf(join(path, "x.csv"))).files).toEqual(inPath("x.csv"));
    expect((await filesOf(join(folder, "a.c*"))).files).toEqual([
      { path: join(folder, "a.csv"), shown: join(folder, "a.csv") },
    ]);
  });

  it("of a folder without data are named as they are shown", async () => {
    await expect(filesOf(join(folder, "dir.duckdb"), "s3://b/a")).rejects.toThrow(noFiles("file", "s3://b/a"));
    await expect(filesOf(join(folder, "a.duckdb"))).rejects.toThrow("No Parquet, Arrow, CSV or JSON file found: ");
  });

  it.each([
    ["a.parquet", "a", "parquet"],
    ["a.b.csv", "a.b", "csv"],
    ["a.CSV", "a", "csv"],
    ["a.tsv", "a", "csv"],
    ["a.csv.gz", "a", "csv"],
    ["a.tsv.GZ", "a", "csv"],
    ["a.json", "a", "json"],
    ["a.jsonl", "a", "json"],
    ["a.ndjson", "a", "json"],
    ["a.json.gz", "a", "json"],
    ["a.jsonl.gz", "a", "json"],
    ["a.ndjson.gz", "a", "json"],
    ["a.csv.json", "a.csv", "json"],
  ])("are known by their endings: %s", async (name, without, format) => {
    expect([isDataFile(name), withoutEnding(name)]).toEqual([true, without]);
    const path = join(folder, name);
    await writeFile(path, "");
    expect(await filesOf(path)).toEqual({ format, files: [{ path, shown: path }], skipped: 0 });
  });

  it.each(["a", "csv", "a.gz", "a.parquet.gz", "a.csv.zip", "a.csv1", "a.csv ", "a.constructor"])(
    "are none without such an ending: %j",
    (name) => expect([isDataFile(name), withoutEnding(name)]).toEqual([false, name]),
  );
});

it.each([
  ["file", "files that end in .parquet, .arrow, .csv, .json or the like, by path, directory or glob"],
  ["object", "objects that end in .parquet, .arrow, .csv, .json or the like, by its address or its folder"],
] as const)("says how to name a %s", (what, ways) => {
  expect(noFiles(what, "a/b").message).toBe(`No Parquet, Arrow, CSV or JSON ${what} found: a/b; name ${ways}`);
});
