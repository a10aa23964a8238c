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

const visits = ["column n", "column note", 'column "a b"'];
const mainTables = ["table broken", "table orders", "table past_visits"];

it.each([
  ["select v.| from past_visits v", visits],
  ["select past_visits.|", visits],
  ["from orders o join past_visits v on O.|", ["column identity_code", "column tags"]],
  ["from orders o join past_visits v on o.identity_code = v.no|", ["column note"]],
  ['from orders, past_visits "P V" where "P V".|', visits],
  ['from past_visits v where v."A|', ['column "a b"']],
  ["from past_visits v where v.N|\norder by 1", ["column n", "column note"]],
  ['select past."v w".p|', ["column price"]],
  ["select shop.orders.t|", ["column tags", "column identity_code"]],
  ["select shop.main.orders.ta|", ["column tags"]],
  ["from orders o where exists (from past_visits v where o.ta|", ["column tags"]],
  ["from orders o where exists (from past_visits o where o.|) order by 1", visits],
  ["from orders o union from past_visits o where o.|", visits],
  [
    "with x as (select 1 as k, o.*, count(*) from orders o) from x where x.|",
    ["column k", "column identity_code", "column tags"],
  ],
  [
    "with recursive x(a, b) as (select n, note from past_visits union from x) from x select x.|",
    ["column a", "column b"],
  ],
  ['select s.| from (select note as "order", v.n from past_visits v) as s', ["column order", "column n"]],
  ["from range(3) r(i) where r.|", ["column i"]],
  ["from (orders o cross join past_visits v) where v.no|", ["column note"]],
  ["select extract(year from v.note|) from past_visits v", ["column note"]],
  ["select * from main.|", mainTables],
  ["select * from main.pas|", ["table past_visits"]],
  ["select * from orders o, past.|", ['table "v w"']],
  ['from past."v| where true', ['table "v w"']],
  ["select * from shop.|", [...mainTables, "schema main.", "schema past."]],
  ["select * from shop.past.|", ['table "v w"']],
  ["from information_schema.schemata|", ["table schemata"]],
  ["select nothing.|", []],
  ["select lower('a').|", []],
  ["select 'orders.|", []],
  ["select 1.|", []],
])("completes the name after the dot of %s", async (marked, expected) => {
  const position = marked.indexOf("|");
  const sql = marked.replace("|", "");
  const found = await completions(connection, sql, position);
  expect(found.map(({ kind, text }) => `${kind} ${text}`)).toEqual(expected);
  const start = sql.lastIndexOf(".", position - 1) + 1;
  expect(found.filter((each) => each.start !== start)).toEqual([]);
});

it.each([
  ["select | from past_visits", visits],
  ["select no| from past_visits", ["column note"]],
  ["with x(note, name) as (select 1, 2) from x where n|", ["column note", 'column "name"']],
])("suggests the columns of the tables around %s first", async (marked, expected) => {
  const found = await completions(connection, marked.replace("|", ""), marked.indexOf("|"));
  const columns = found.filter(({ kind }) => kind === "column");
  expect(columns.map(({ kind, text }) => `${kind} ${text}`)).toEqual(expected);
  expect(found[0]).toEqual(columns[0]);
});

it("suggests no sign between and after names", async () => {
  for (const sql of ["from orders", "from orders ", "select 1 ", "select n from past_visits v where v.n ", "select *"])
    for (const { text } of await completions(connection, sql)) expect(text, sql).toMatch(/^"?[\p{L}_]/u);
});

it("suggests names that need no quotes after a dot", async () => {
  await connection.prepare(`select s.order from (select note as "order" from past_visits) as s`);
});

it("reads text that is no statement, and queries within queries, without a wait", async () => {
  const nested = `${"select * from (".repeat(200)}from orders${") x".repeat(200)} where x.`;
  const names = ["a", "b", "c"];
  const circle = `with ${names.map((name) => `${name} as (from a, b, c, a x, b y)`).join(", ")} from a where a.`;
  for (const sql of [
    nested,
    circle,
    `from orders o where o.${") ".repeat(5_000)}`,
    `${"from , join . ".repeat(900)} o.`,
  ])
    expect(await completions(connection, sql, sql.lastIndexOf(".") + 1), sql.slice(0, 40)).toBeInstanceOf(Array);
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
