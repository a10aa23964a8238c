import { rm } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { temporaryDirectory } from "../../../server/test/fixture.ts";
import { completions } from "../../src/executor/completion.ts";
import { openEngine, type Sandbox } from "../../src/executor/sandbox.ts";
import { sourceTables } from "../../src/executor/table-list.ts";
import { inDuckDB } from "../sources/data.ts";

let directory: string;
let connection: Sandbox["connection"];
beforeAll(async () => {
  directory = await temporaryDirectory();
  const path = join(directory, "shop.duckdb");
  await inDuckDB(
    path,
    "create table orders (identity_code bigint not null, tags varchar[])",
    "comment on table orders is 'One row an order'",
    "comment on column orders.tags is 'of the shop'",
    'create table past_visits (n int, note varchar, "a b" int, primary key ("a b", n))',
    "insert into past_visits select range, '', 1 from range(3000)",
    "create table gone (n int)",
    "create view broken as from gone",
    "drop table gone",
    "create schema past",
    'create view past."v w" as select identity_code, 1.5 as price from orders',
    `comment on view past."v w" is 'it''s old'`,
  );
  const engine = await openEngine({
    directory,
    threads: 1,
    memoryMegabytes: 200,
    spillMegabytes: 10,
    isolation: "run",
  });
  ({ connection } = await engine.begin([{ name: "shop", path }], ""));
});
afterAll(async () => {
  connection.closeSync();
  await rm(directory, { recursive: true });
});

it("lists the tables and views of the databases, with their columns, comments, keys and estimated rows", async () => {
  const column = (name: string, kind: string, engineType: string, nullable = true) => ({
    name,
    kind,
    engineType,
    nullable,
  });
  expect(await sourceTables(connection, [{ name: "shop", path: "" }])).toEqual([
    { catalog: "shop", schema: "main", name: "broken", columns: [] },
    {
      catalog: "shop",
      schema: "main",
      name: "orders",
      comment: "One row an order",
      columns: [
        column("identity_code", "number", "BIGINT", false),
        { ...column("tags", "array", "VARCHAR[]"), comment: "of the shop" },
      ],
      rowEstimate: 0,
    },
    {
      catalog: "shop",
      schema: "main",
      name: "past_visits",
      columns: [
        column("n", "number", "INTEGER", false),
        column("note", "string", "VARCHAR"),
        column("a b", "number", "INTEGER", false),
      ],
      primaryKey: ["a b", "n"],
      rowEstimate: 3000,
    },
    {
      catalog: "shop",
      schema: "past",
      name: "v w",
      comment: "it's old",
      columns: [column("identity_code", "number", "BIGINT"), column("price", "number", "DECIMAL(2,1)")],
    },
  ]);
  expect(await sourceTables(connection, [])).toEqual([]);
});

it.each([
  ["SELEC", { text: "SELECT", start: 0, kind: "keyword" }],
  ["SELECT 'é😀', ident FROM ord", { text: "orders", start: 25, kind: "table" }],
  ["SELECT ident", { text: "identity_code", start: 7, kind: "column" }],
  ["SELECT * FROM sho", { text: "shop.", start: 14, kind: "catalog" }],
  ["SELECT * FROM shop.pas", { text: "past.", start: 19, kind: "schema" }],
  ["SELECT regexp_repl", { text: "regexp_replace", start: 7, kind: "function" }],
  ["SELECT string_ag", { text: "string_agg", start: 7, kind: "function" }],
  ["SELECT * FROM generate_ser", { text: "generate_series", start: 14, kind: "function" }],
  ["SELECT 1::DOUB", { text: "double", start: 10, kind: "type" }],
])("completes %s", async (sql, expected) => {
  const found = await completions(connection, sql);
  expect(found.find(({ text }) => text.toLowerCase() === expected.text.toLowerCase())).toEqual({
    ...expected,
    text: expect.stringMatching(new RegExp(`^${expected.text}$`, "i")),
  });
});

it("suggests no function or view that is refused, and no setting", async () => {
  const texts = async (sql: string) => (await completions(connection, sql)).map(({ text }) => text.toLowerCase());
  expect(await texts("SELECT current_sett")).not.toContain("current_setting");
  expect(await texts("SELECT * FROM read_cs")).not.toContain("read_csv");
  expect(await texts("SELECT * FROM duckdb_dat")).not.toContain("duckdb_databases");
  expect(await texts("SET memory_lim")).toEqual([]);
});

it("suggests nothing in a text that the engine would complete for minutes, or that would end its process", async () => {
  for (const text of [
    `SELECT ${"(".repeat(9)}`,
    `SELECT ${"1 IN (".repeat(9)}`,
    `SELECT ${"f(".repeat(5_000)}`,
    `SELECT ${"CASE WHEN ".repeat(20_000)}`,
  ])
    expect(await completions(connection, text), text.slice(0, 50)).toEqual([]);
  const closed = `SELECT ${"(1), '((((((', ".repeat(9)}`;
  expect(await completions(connection, closed)).not.toEqual([]);
});
