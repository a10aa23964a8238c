import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { EngineLostError, type SourceKind } from "@quern/adapter";
import type { ListTablesParams, ListTablesResult } from "@quern/protocol/types";
import { addToSource } from "@quern/server/sources";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { inDuckDB } from "../../../duckdb/test/sources/data.ts";
import { createGate, idleKind, startServer, type TestServer, temporaryDirectory } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

const engine = oneProcessOfFile();

let server: TestServer;
beforeAll(async () => {
  const dataDir = await temporaryDirectory();
  await mkdir(join(dataDir, "sources"));
  await inDuckDB(
    join(dataDir, "sources", "shop.duckdb"),
    "create table Orders(Id bigint not null, price decimal(9,2))",
    "comment on table Orders is 'One row an order'",
    "comment on column Orders.price is 'in euros'",
    "create schema past",
    "create view past.customers as select 'Ada' as name",
    "create table past.broken(n integer)",
    "create view past.on_broken as select n from past.broken",
    "drop table past.broken",
  );
  const csv = join(dataDir, "people.csv");
  await inDuckDB(":memory:", `copy (select 1 as id) to '${csv}' (header)`);
  await addToSource({ dataDir, source: "crm" }, { from: csv });
  await addToSource({ dataDir, source: "crm" }, { from: csv, as: "second.main.people" });
  server = await startServer({ dataDir, sources: undefined, kind: engine() });
});
afterAll(() => server[Symbol.asyncDispose]());

const list = (params: ListTablesParams) => server.call<ListTablesResult>("listTables", params);
const namesOf = ({ tables }: ListTablesResult) =>
  tables.map(({ dataSource, catalog, schema, name }) => [dataSource, catalog, schema, name].join(" "));

const names = [
  "crm crm main people",
  "crm second main people",
  "shop shop main Orders",
  "shop shop past customers",
  "shop shop past on_broken",
];

it("lists the tables and views of all sources, ordered by their names", async () => {
  const listed = await list({});
  expect(namesOf(listed)).toEqual(names);
  expect(listed.nextCursor).toBeNull();
});

it("names columns and types as results do, and which columns can be null", async () => {
  const { tables } = await list({ dataSource: "shop" });
  expect(tables[0]).toEqual({
    dataSource: "shop",
    dataProvider: "quern",
    catalog: "shop",
    schema: "main",
    name: "Orders",
    comment: "One row an order",
    columns: [
      { name: "Id", type: "number", engineType: "BIGINT", nullable: false },
      { name: "price", type: "number", engineType: "DECIMAL(9,2)", nullable: true, comment: "in euros" },
    ],
    rowEstimate: 0,
  });
  expect(tables[2]?.columns).toEqual([]);
  // The default source serves old clients, with names in lower case.
  expect((await list({ dataSource: "crm" })).tables[0]?.columns).toMatchObject([{ name: "id" }]);
});

it("goes on from the cursor, through the sources", async () => {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit: 2, ...(cursor !== undefined && { cursor }) });
    expect(page.tables.length).toBeLessThanOrEqual(2);
    found.push(...namesOf(page));
    cursor = page.nextCursor ?? undefined;
  } while (cursor !== undefined);
  expect(found).toEqual(names);
});

it("refuses a cursor that it did not give", async () => {
  const issue = { pointer: "/params/0/cursor", expected: "the nextCursor of an earlier call" };
  for (const cursor of ["abc", "W10"])
    await expect(list({ cursor })).rejects.toMatchObject({ code: -32602, data: { issues: [issue] } });
});

it("shows a key only the sources that it may query", async () => {
  const { call } = await caller(server, { tenant: "acme", user: "ann", sources: ["crm"] });
  const { result } = await call("listTables", {});
  expect(namesOf(result as unknown as ListTablesResult)).toEqual(names.slice(0, 2));
  expect(await call("listTables", { dataSource: "shop" })).toMatchObject({ error: { code: -32164 } });
});

it("lists the tables of the other sources if the file of one cannot be opened", async () => {
  const dataDir = await temporaryDirectory();
  await mkdir(join(dataDir, "sources"));
  await inDuckDB(join(dataDir, "sources", "shop.duckdb"), "create table orders(id bigint)");
  await writeFile(join(dataDir, "sources", "broken.duckdb"), "no database ".repeat(1_000));
  const logged: string[] = [];
  const log = { error: (message: string) => void logged.push(message) };
  await using own = await startServer({ dataDir, sources: undefined, kind: engine(), log });
  expect(namesOf(await own.call<ListTablesResult>("listTables", {}))).toEqual(["shop shop main orders"]);
  expect(logged).toEqual(["listTables omits the tables of broken: the source cannot be read"]);
  await expect(own.call("listTables", { dataSource: "broken" })).rejects.toThrow("Internal error");
});

it.each<[string, NonNullable<SourceKind["tables"]>]>([
  ["is lost twice", () => Promise.reject(new EngineLostError("the process was ended by SIGKILL"))],
  ["does not answer in time", (_, signal) => createGate().pass(signal) as never],
])("lists the tables of the other sources if an engine %s", async (_, fail) => {
  const tables: typeof fail = async (query, signal) =>
    query.source.name === "away"
      ? fail(query, signal)
      : [{ catalog: "shop", schema: "main", name: "Orders", columns: [] }];
  const logged: string[] = [];
  await using own = await startServer({
    sources: ["away", "shop"].map((name) => ({ name, provider: "quern" })),
    kind: { ...idleKind, tables },
    limits: { describeTimeoutSeconds: 0.2 },
    log: { error: (message: string) => void logged.push(message) },
  });
  expect(namesOf(await own.call<ListTablesResult>("listTables", {}))).toEqual(["shop shop main Orders"]);
  expect(logged).toEqual(["listTables omits the tables of away: the source cannot be read"]);
  const unavailable = { code: -32178, data: { retryAfterMs: 2_000, dataSource: "away" } };
  await expect(own.call("listTables", { dataSource: "away" })).rejects.toMatchObject(unavailable);
});
