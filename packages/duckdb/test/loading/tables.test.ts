import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import type { FetchObjects } from "@quern/adapter";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { columnTypes } from "../../src/loading/column-types.ts";
import { attached, createTable, withEngine } from "../../src/loading/engine.ts";
import { isDataFile, noFiles } from "../../src/loading/files.ts";
import { dropTables } from "../../src/loading/loaded-tables.ts";
import { loadTables, refuseOverlap } from "../../src/loading/tables.ts";
import { type Origin, SourceError, type TableLoad } from "../../src/sources/origin.ts";
import { inDuckDB } from "../sources/data.ts";

let workDirectory: string;
beforeAll(async () => {
  workDirectory = await mkdtemp(join(tmpdir(), "quern-load-tables-"));
});
afterAll(() => rm(workDirectory, { recursive: true }));

const loadOf = (schema: string | null, table: string | null, origin: Origin): TableLoad => ({
  catalog: "memory",
  schema,
  table,
  origin,
  loadedAt: "now",
});
const rowsOf = async (connection: DuckDBConnection, sql: string) =>
  (await connection.runAndReadAll(sql)).getRowsJson().flat();
const tables = "SELECT schema_name || '.' || table_name FROM duckdb_tables() ORDER BY 1";

describe("an engine that loads", () => {
  it("has UTC and its own directory for spilled data, and installs no extension", async () => {
    const settings =
      "SELECT current_setting('TimeZone'), current_setting('temp_directory'), current_setting('autoinstall_known_extensions'), current_setting('autoload_known_extensions')";
    const spill = join(workDirectory, "spill");
    expect(await withEngine(spill, (connection) => rowsOf(connection, settings))).toEqual(["UTC", spill, false, false]);
  });

  it.each([
    ["Binder Error: no\nsuch\n\nCandidates: x", { name: "SourceError", message: "Binder Error: no\nsuch" }],
    ["Invalid Input Error: x", { name: "SourceError", message: "Invalid Input Error: x" }],
    ["an Error: x", { name: "Error", message: "an Error: x" }],
    ["Error: x", { name: "Error", message: "Error: x" }],
    ["See: Binder Error: x", { name: "Error", message: "See: Binder Error: x" }],
  ])("throws %j as an error of the source, or as it is", async (text, expected) => {
    await expect(withEngine(workDirectory, () => Promise.reject(new Error(text)))).rejects.toMatchObject(expected);
  });

  it("throws what is no error as it is", async () => {
    await expect(withEngine(workDirectory, () => Promise.reject("Binder Error: x"))).rejects.toBe("Binder Error: x");
  });

  it("attaches a file while it is used, and leaves no log of it", async () => {
    const path = join(workDirectory, "it's.duckdb");
    const left = await withEngine(workDirectory, async (connection) => {
      const create = () => connection.run('CREATE TABLE "a ""b".t AS SELECT 7 AS n');
      await attached(connection, path, 'a "b', "READ_WRITE", async () => {
        await connection.run("SET wal_autocheckpoint = '1TB'");
        await connection.run("PRAGMA disable_checkpoint_on_shutdown");
        await create();
      });
      const databases = "SELECT database_name FROM duckdb_databases() WHERE NOT internal";
      const read = () => rowsOf(connection, "SELECT n FROM c.t");
      expect(await attached(connection, path, "c", "READ_ONLY", read)).toEqual([7]);
      await expect(
        attached(connection, path, "c", "READ_ONLY", () => connection.run("DELETE FROM c.t")),
      ).rejects.toThrow("read-only");
      await connection.run("DETACH c");
      return rowsOf(connection, databases);
    });
    expect([left, (await readdir(workDirectory)).filter((name) => name.startsWith("it's"))]).toEqual([
      ["memory"],
      ["it's.duckdb"],
    ]);
  });

  it("creates no table without a name and a schema", async () => {
    await withEngine(workDirectory, async (connection) => {
      const target = { connection, catalog: "memory", workDirectory };
      for (const [schema, table] of [
        [null, "t"],
        ["s", null],
      ] as const)
        await expect(createTable(target, schema, table, "SELECT 1")).rejects.toThrow(
          "Invalid load: a table requires a schema and a name.",
        );
      expect(await rowsOf(connection, "SELECT count(*)::INT FROM duckdb_schemas() WHERE schema_name = 's'")).toEqual([
        0,
      ]);
    });
  });
});

it("loads a DuckDB file with keys and views, and refuses views of other files by name", async () => {
  const [path, csv] = [join(workDirectory, "shop.duckdb"), join(workDirectory, "other.csv")];
  await writeFile(csv, "n\n1\n");
  await inDuckDB(
    path,
    "CREATE TABLE customers (id INT PRIMARY KEY)",
    "CREATE TABLE orders (id INT, customer INT REFERENCES customers (id))",
    "INSERT INTO customers VALUES (1)",
    "INSERT INTO orders VALUES (7, 1)",
    "CREATE VIEW both_tables AS SELECT o.id FROM orders o JOIN customers c ON c.id = o.customer",
  );
  const load = (table?: string) =>
    withEngine(workDirectory, async (connection) => {
      const target = { connection, catalog: "memory", workDirectory };
      const origin: Origin = { kind: "duckdb", path, ...(table === undefined ? {} : { schema: "main", table }) };
      await loadTables(target, loadOf(table ? "main" : null, table ?? null, origin));
      return rowsOf(connection, `FROM memory.main.${table ?? "both_tables"}`);
    });
  expect(await load()).toEqual([7]);
  await inDuckDB(path, `CREATE VIEW elsewhere AS FROM '${csv}'`);
  await expect(load()).rejects.toThrow(`View that reads more than its file: main.elsewhere of ${path} (`);
  expect(await load("elsewhere")).toEqual(["1"]); // JSON of a BIGINT
});

it("loads a DuckDB file with rows that refer to their own table, or a VARIANT, one table at a time, or refuses it by name", async () => {
  const path = join(workDirectory, "own-rows.duckdb");
  await inDuckDB(
    path,
    "CREATE TABLE staff (id INT PRIMARY KEY, boss INT REFERENCES staff (id))",
    "INSERT INTO staff VALUES (1, NULL)",
  );
  const load = (from: string, table?: string) =>
    withEngine(workDirectory, async (connection) => {
      const target = { connection, catalog: "memory", workDirectory };
      const origin: Origin = { kind: "duckdb", path: from, ...(table === undefined ? {} : { schema: "main", table }) };
      await loadTables(target, loadOf(table ? "main" : null, table ?? null, origin));
      return rowsOf(connection, "SELECT count(*)::INT FROM memory.main.staff");
    });
  expect(await load(path)).toEqual([1]);
  await inDuckDB(path, "INSERT INTO staff VALUES (2, 1)");
  await expect(load(path)).rejects.toThrow(
    `Table whose rows refer to rows of the same table: main.staff of ${path}; load it alone with --table staff and --schema main`,
  );
  expect(await load(path, "staff")).toEqual([2]);
  const variants = join(workDirectory, "variants.duckdb");
  await inDuckDB(
    ":memory:",
    `ATTACH '${variants}' AS v (STORAGE_VERSION 'v1.5.0')`,
    `CREATE TABLE v.staff ("VARIANT" INT, kind ENUM('VARIANT'))`,
    "INSERT INTO v.staff VALUES (1, 'VARIANT')",
    "CREATE TABLE v.docs AS SELECT 1 AS n, [{'doc': {'a': 1}::VARIANT}] AS docs",
  );
  await expect(load(variants)).rejects.toThrow(
    `Unsupported type: the column docs of main.docs of ${variants} has a VARIANT; store it as JSON`,
  );
  await expect(load(variants, "docs")).rejects.toThrow("the column docs of main.docs");
  expect(await load(variants, "staff")).toEqual([1]);
});

it.each<[string | null, string | null, string[]]>([
  [null, null, ["main.a", "main.b", "other.a", "other.c"]],
  ["main", "a", ["main.b", "other.a", "other.c"]],
  ["other", "c", ["main.a", "main.b", "other.a"]],
  ["other", null, ["main.a", "main.b"]],
  ["main", null, ["other.a", "other.c"]],
  ["missing", null, ["main.a", "main.b", "other.a", "other.c"]],
  ["main", "missing", ["main.a", "main.b", "other.a", "other.c"]],
])("drops of the schema %s the table %s", async (schema, table, left) => {
  await withEngine(workDirectory, async (connection) => {
    await connection.run("CREATE SCHEMA other");
    for (const name of ["main.a", "main.b", "other.a", "other.c"]) await connection.run(`CREATE TABLE ${name} (n INT)`);
    const target = { connection, catalog: "memory", workDirectory };
    await dropTables(target, loadOf(schema, table, { kind: "files", path: "/" }));
    expect(await rowsOf(connection, tables)).toEqual(left);
  });
});

describe("tables of a DuckDB file", () => {
  it.each<[string | null, string | null, { schema?: string; table?: string }, string, unknown[]]>([
    [null, null, {}, "SELECT n FROM memory.past.t", [2]],
    ["s", "u", { table: "t" }, "SELECT n FROM memory.s.u", [1]],
    ["s", "u", { table: "t", schema: "past" }, "SELECT n FROM memory.s.u", [2]],
  ])("are loaded into the schema %s as %s: %o", async (schema, table, names, query, rows) => {
    const path = join(workDirectory, "o'.duckdb");
    await rm(path, { force: true });
    await inDuckDB(
      path,
      "create table t as select 1 as n",
      "create schema past",
      "create table past.t as select 2 as n",
    );
    await withEngine(workDirectory, async (connection) => {
      const target = { connection, catalog: "memory", workDirectory };
      await loadTables(target, loadOf(schema, table, { kind: "duckdb", path, ...names }));
      expect(await rowsOf(connection, query)).toEqual(rows);
      const missing = loadOf("s", "v", { kind: "duckdb", path, table: "none" });
      await expect(loadTables(target, missing)).rejects.toThrow("none");
      await loadTables(target, loadOf("s", "w", { kind: "duckdb", path, table: "t" })); // the file is not attached any more
    });
  });
});

describe("objects", () => {
  const origin = { kind: "objects", url: "s3://b/a", allText: true } as const;
  const load = (fetchObjects?: FetchObjects) =>
    withEngine(workDirectory, async (connection) => {
      const target = { connection, catalog: "memory", workDirectory };
      await loadTables(target, loadOf("s", "t", origin), fetchObjects);
      return rowsOf(connection, "FROM s.t");
    });
  const copies = () => join(workDirectory, "objects");

  it("are copied, loaded with the types of the origin, and removed", async () => {
    const fetched: unknown[] = [];
    const rows = await load(async (...request) => {
      fetched.push(request);
      await writeFile(join(request[1], "a.csv"), "n\n1\n");
      return 1;
    });
    expect([rows, fetched]).toEqual([["1"], [["s3://b/a", copies(), isDataFile]]]);
    expect(await readdir(workDirectory)).not.toContain("objects");
  });

  it.each<[FetchObjects | undefined, string]>([
    [undefined, "Origin without an adapter: s3://b/a; use `quern sources`"],
    [async () => 0, noFiles("object", "s3://b/a").message],
    [() => Promise.reject(new Error("no bucket")), "no bucket"],
    [() => Promise.reject("no text"), "no text"],
    [async () => 1, noFiles("file", "s3://b/a").message],
  ])("fail in the words of the operator: %o", async (fetchObjects, message) => {
    await expect(load(fetchObjects)).rejects.toMatchObject({ name: "SourceError", message });
    expect(await readdir(workDirectory)).not.toContain("objects");
  });
});

describe("the names of loads", () => {
  const origin: Origin = { kind: "files", path: "/a.csv" };
  const named = (catalog: string, schema: string | null, table: string | null) => ({
    ...loadOf(schema, table, origin),
    catalog,
  });
  const shop = named("Shop", "Main", "Orders");

  it.each([
    [named("shop", "main", "orders"), "Shop.Main.Orders"],
    [named("SHOP", "main", null), "Shop.Main.Orders"],
    [named("shop", null, null), "Shop.Main.Orders"],
    [named("crm", "a", "b"), "crm.a"],
    [named("crm", "A", null), "crm.a"],
  ])("overlap: %o", (added, other) => {
    expect(() => refuseOverlap([shop, named("crm", "a", null)], added, "shop")).toThrow(
      new SourceError(
        `Name already in use in source shop: ${other}, loaded from /a.csv; choose another name with --as, or load that table again with \`quern sources load\``,
      ),
    );
  });

  it.each([
    named("other", "main", "orders"),
    named("shop", "past", "orders"),
    named("shop", "main", "customers"),
    named("crm", "b", null),
    named("other", null, null),
  ])("differ: %o", (added) =>
    expect(() => refuseOverlap([shop, named("crm", "a", null)], added, "shop")).not.toThrow(),
  );
});

describe("types of columns", () => {
  const detected = new Map([
    ["id", "INTEGER"],
    ["Code", "VARCHAR"],
    ["day", "DATE"],
  ]);
  let connection: DuckDBConnection;
  beforeAll(async () => {
    connection = await (await DuckDBInstance.create(":memory:")).connect();
  });
  afterAll(() => connection.closeSync());
  const typesOf = async (types: Parameters<typeof columnTypes>[2]) =>
    Object.fromEntries([...(await columnTypes(connection, detected, types))].map(([name, { type }]) => [name, type]));

  it.each([
    [{}, { id: "INTEGER", Code: "VARCHAR", day: "DATE" }],
    [{ allText: true }, { id: "VARCHAR", Code: "VARCHAR", day: "VARCHAR" }],
    [
      { types: { CODE: "int" }, allText: true },
      { id: "VARCHAR", Code: "INTEGER", day: "VARCHAR" },
    ],
  ])("are %o of %o", async (types, expected) => expect(await typesOf(types)).toEqual(expected));

  it.each([
    [{ cdoe: "INT" }, "Unknown column: cdoe; did you mean Code?"],
    [{ dai: "INT" }, "Unknown column: dai; did you mean day?"],
    [{ doi: "INT" }, "Unknown column: doi; use one of id, Code, day"],
    [{ price: "INT" }, "Unknown column: price; use one of id, Code, day"],
    [{ id: "INT", ID: "DATE" }, "Conflicting types of the column id: INTEGER, DATE; give only one of them"],
    [{ id: "INTEGRE" }, "Invalid type of the column id: INTEGRE; did you mean INTEGER?"],
    [{ id: "INT, 1" }, "Invalid type of the column id: INT, 1; use a DuckDB type, such as VARCHAR or DECIMAL(10,2)"],
    [{ id: "INT), (1" }, "Invalid type of the column id: INT), (1; use a DuckDB type"],
    [{ id: "XYZXYZXYZ" }, "Invalid type of the column id: XYZXYZXYZ; use a DuckDB type"],
  ])("cannot be %o", async (types, message) => {
    await expect(typesOf({ types })).rejects.toMatchObject({
      name: "SourceError",
      message: expect.stringContaining(message),
    });
  });
});
