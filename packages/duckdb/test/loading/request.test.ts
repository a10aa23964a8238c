import { expect, it } from "vitest";
import { checkSourceName, parseLoadRequest } from "../../src/loading/request.ts";
import { SourceError } from "../../src/sources/origin.ts";

it.each([
  [undefined, { catalog: "shop", schema: "main" }],
  ["sales", { catalog: "shop", schema: "sales" }],
  ["lake.sales", { catalog: "lake", schema: "sales" }],
])("loads the tables of PostgreSQL into the schema of --as: %s", async (as, place) => {
  const load = await parseLoadRequest("shop", { from: "postgres://me@localhost/db", as }, "now");
  expect(load).toMatchObject({ ...place, table: null });
});

it.each([
  ["s3://exports/daily/seattle-weather.csv?endpoint=http://localhost", "seattle_weather"],
  ["s3://exports/daily/orders/", "orders"],
  ["s3://exports/a%20b.parquet", "a_b"],
  ["s3://exports/100%25.csv", "_100"],
])("names the table of objects after the object or folder: %s", async (from, table) => {
  const load = await parseLoadRequest("shop", { from }, "now");
  expect(load).toEqual({
    catalog: "shop",
    schema: "main",
    table,
    origin: { kind: "objects", url: from },
    loadedAt: "now",
  });
});

it.each([
  ["s3://key:hush@exports/a.csv", "it has credentials, which are not stored; remove them and set AWS_ACCESS_KEY_ID"],
  ["s3://exports/a.csv?secretAccessKey=hush", "it has credentials, which are not stored"],
  ["s3://exports/a.csv?X-Amz-Signature=hush", "it has credentials, which are not stored"],
  ["s3://exports/100%.csv", "it has a % without two hexadecimal digits; write %25 for a percent sign"],
  ["s3:a.csv", "Invalid address of objects; use s3://bucket/path/file.parquet, or s3://bucket/folder"],
])("refuses the address of objects %s", async (from, message) => {
  const refused = await parseLoadRequest("shop", { from }, "now").catch((error: Error) => error);
  expect(refused).toMatchObject({ name: "SourceError", message: expect.stringContaining(message) });
  expect(JSON.stringify(refused)).not.toContain("hush");
});

it("refuses a table or a schema of objects", async () => {
  const load = parseLoadRequest("shop", { from: "s3://exports/a.csv", table: "t" }, "now");
  await expect(load).rejects.toThrow("Invalid flags --table and --schema: files have neither");
});

it("refuses a schema of a whole DuckDB file, of which it would not load the others", async () => {
  await expect(parseLoadRequest("shop", { from: "shop.duckdb", schema: "sales" }, "now")).rejects.toThrow(
    "Invalid flag --schema: sales; a DuckDB file is loaded with all its schemas, so add --table or remove the flag",
  );
});

const names =
  "use at most 63 letters, digits, - and _, begin with a letter or digit, and do not use memory, system or temp";
const kinds = "expected a path, s3:// or postgres://, or --kind and the address of a database to query in place";

it.each<[Parameters<typeof parseLoadRequest>[1], string]>([
  [{ from: "postgres://a@b/c", table: "a.b.c" }, "Invalid --table: a.b.c; use table or schema.table"],
  [
    { from: "postgres://a@b/c", types: { a: "INTEGER" } },
    "Invalid flag --type: it names a column of one table; add --table",
  ],
  [
    { from: "shop.db", types: { a: "INTEGER" } },
    "Invalid flags --type and --all-text: a DuckDB file has types of its own; remove the flags",
  ],
  [
    { from: "s3://bucket/a.csv", table: "a" },
    "Invalid flags --table and --schema: files have neither; remove the flags, and name the table with --as",
  ],
  [{ from: "mysql://a@b/c" }, `Unknown kind of address: mysql://…; ${kinds}`],
  [{ from: "postgre://a@b/c" }, `Unknown kind of address: postgre://…; ${kinds}; did you mean postgres://?`],
  [
    { from: "s3://bucket/%zz.csv" },
    "Invalid address of objects: it has a % without two hexadecimal digits; write %25 for a percent sign",
  ],
  [
    { from: "s3://a:b@bucket/a.csv" },
    "Invalid address of objects: it has credentials, which are not stored; remove them and set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY",
  ],
  [{ from: "postgres:" }, "Invalid URL of a PostgreSQL database; write it as postgres://user@host:port/database"],
  [
    { from: "postgres://a:b@c/d" },
    "Invalid URL of a PostgreSQL database: it has a password, which is not stored; remove it and set PGPASSWORD",
  ],
  [
    { from: "postgres://a@c/d?sslpassword=b" },
    "Invalid URL of a PostgreSQL database: it has a password, which is not stored; remove it and set PGPASSWORD",
  ],
  [
    { from: "s3://bucket/a.csv", as: "a..b" },
    "Invalid --as: a..b; its parts must not be empty or contain double quotes",
  ],
  [
    { from: "s3://bucket/a.csv", as: "a.b.c.d" },
    "Invalid --as: a.b.c.d; use table, schema.table or catalog.schema.table for this origin",
  ],
  [{ from: "postgres://a@b/c", as: "a.b.c" }, "Invalid --as: a.b.c; use schema or catalog.schema for this origin"],
  [
    { from: "s3://bucket/a.csv", as: "temp.main.a" },
    "Invalid name of a catalog: temp; the engine reserves it, choose another one with --as",
  ],
  [
    { from: "s3://bucket/---.csv" },
    "No name for the table: the last name in /---.csv has no letter or digit; name the table with --as",
  ],
])("refuses the request %o", async (request, message) => {
  await expect(parseLoadRequest("shop", request, "now")).rejects.toThrow(new SourceError(message));
});

it.each(["", "-a", "_a", "a b", "a.b", "temp", "a".repeat(64)])("refuses %j as the name of a source", (name) => {
  expect(() => checkSourceName(name)).toThrow(
    new SourceError(`Invalid name of a source: ${JSON.stringify(name)}; ${names}`),
  );
});
