import { expect, it } from "vitest";
import { parseLoadRequest } from "../../src/loading/request.ts";

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
