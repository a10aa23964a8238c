import { type Source, type SourceKind, type SourceTable, StatementError } from "@quern/adapter";
import type { ListTablesParams } from "@quern/protocol/types";
import { expect, it, vi } from "vitest";
import { completeSql } from "../../src/handlers/complete-sql.ts";
import type { Context, Service } from "../../src/handlers/context.ts";
import { listTables } from "../../src/handlers/list-tables.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { idleKind } from "../fixture.ts";

const table = (name: string, schema = "main", catalog = "db"): SourceTable => ({ catalog, schema, name, columns: [] });
const column = { kind: "string", engineType: "VARCHAR", nullable: true } as const;
const unreadable = new StatementError({ name: "IOError", message: "", data: { category: "DATA_SOURCE" } });

/** Service with the sources a, b and c, and the calls of their adapter. */
function service(change: Partial<SourceKind> = {}, tables: Readonly<Record<string, readonly SourceTable[]>> = {}) {
  const asked: string[] = [];
  const kind: SourceKind = {
    ...idleKind,
    async tables({ source }) {
      asked.push(source.name);
      return tables[source.name] ?? [];
    },
    ...change,
  };
  const configured = ["a", "b", "c"].map((name) => ({ name, provider: name === "c" ? "other" : "test" }));
  const leftOut = vi.fn();
  const parts = {
    sources: createSourceCatalog(() => configured, new Map([["duckdb", kind]])),
    limits: { describeTimeoutSeconds: 60 },
    inspections: { acquire: async () => () => {} },
    limitsOf: async () => ({}),
    telemetry: { leftOut, audited: () => {}, usage: { spent: async () => undefined, inspected: () => {} } },
  } as unknown as Service;
  const context = (sources: readonly string[] | null = null) =>
    ({
      principal: { tenantId: "acme", userId: "ann", sources },
      signal: new AbortController().signal,
    }) as unknown as Context;
  const list = async (params: ListTablesParams, sources?: readonly string[]) => {
    const listed = await listTables(params, context(sources), parts);
    return { names: listed.tables.map(({ name }) => name).join(), cursor: listed.nextCursor ?? undefined };
  };
  return { asked, leftOut, list, parts, context };
}

const tables = {
  a: [table("z"), table("m"), table("b", "other"), table("a", "main", "archive")],
  b: [table("x"), table("y")],
  c: [table("w")],
};

it("orders the tables of each source by catalog, schema and name", async () => {
  const { list } = service({}, tables);
  expect(await list({})).toEqual({ names: "a,m,z,b,x,y,w", cursor: undefined });
});

it.each([1, 2, 3, 4, 5, 6, 7, 100])("lists each table once, with pages of %i", async (limit) => {
  const { list } = service({}, tables);
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ limit, ...(cursor !== undefined && { cursor }) });
    names.push(page.names);
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(names.join()).toBe("a,m,z,b,x,y,w");
  expect(names).toHaveLength(Math.ceil(7 / limit));
});

it("reads only the sources that a page needs", async () => {
  const { list, asked } = service({}, tables);
  const { cursor } = await list({ limit: 4 });
  expect(asked.splice(0)).toEqual(["a", "b"]);
  await list({ limit: 1, cursor: cursor as string });
  expect(asked).toEqual(["a", "b"]);
});

/** Tables whose names and columns are searched. */
const searched = {
  a: [
    { ...table("Orders"), columns: ["Id", "straße"].map((name) => ({ ...column, name })) },
    { ...table("customers", "past"), columns: [{ ...column, name: "order_count" }] },
    table("a.b"),
  ],
  b: [table("orders_old", "past", ""), table("visits", "orders")],
};

it.each([
  ["ORDER", "Orders,customers,orders_old"],
  ["id", "Orders"],
  ["STRASSE", ""],
  ["STRAßE", "Orders"],
  ["main", ""],
  ["main.", "Orders,a.b"],
  ["db.past.c", "customers"],
  ["past.orders_", "orders_old"],
  [".past.orders", ""],
  ["a.b", "a.b"],
  ["%", ""],
])("lists the tables with %j in their names or those of their columns", async (search, names) => {
  expect((await service({}, searched).list({ search })).names).toBe(names);
});

it.each([1, 2, 3])("lists each table with a text once, with pages of %i", async (limit) => {
  const { list } = service({}, searched);
  const names: string[] = [];
  let cursor: string | undefined;
  do {
    const page = await list({ search: "order", limit, ...(cursor !== undefined && { cursor }) });
    names.push(page.names);
    cursor = page.cursor;
  } while (cursor !== undefined);
  expect(names.join()).toBe("Orders,customers,orders_old");
  expect(names).toHaveLength(Math.ceil(3 / limit));
});

it("shows the names of a primary key as those of columns", async () => {
  const keyed = { ...table("t"), columns: [{ ...column, name: "Id" }], primaryKey: ["Id"], rowEstimate: 7 };
  const { parts, context } = service({}, { a: [keyed], b: [keyed] });
  const { tables: shown } = await listTables({}, context(), parts);
  expect(shown.map(({ columns, primaryKey }) => [columns[0]?.name, primaryKey])).toEqual([
    ["id", ["id"]],
    ["Id", ["Id"]],
  ]);
  expect(shown[0]).toMatchObject({ rowEstimate: 7 });
});

it("lists 100 tables by default", async () => {
  const many = { a: Array.from({ length: 101 }, (_, index) => table(`t${String(index).padStart(3, "0")}`)) };
  const page = await service({}, many).list({});
  expect([page.names.split(",").length, page.cursor]).toEqual([100, expect.any(String)]);
});

it("restarts with the first source if that of the cursor is gone", async () => {
  const { list } = service({}, tables);
  const cursor = Buffer.from(JSON.stringify(["gone", "db", "main", "z"])).toString("base64url");
  expect((await list({ cursor })).names).toBe("a,m,z,b,x,y,w");
});

it.each([[["a", "b", "c"]], [["a", "b", "c", 4]], [["a", "b", "c", "d", "e"]], [{}], ["abcd"]])(
  "refuses the cursor %j",
  async (key) => {
    const cursor = Buffer.from(JSON.stringify(key)).toString("base64url");
    await expect(service().list({ cursor })).rejects.toMatchObject({
      data: { issues: [{ pointer: "/params/0/cursor" }] },
    });
  },
);

it("lists the sources of a provider that the key may query", async () => {
  const { list } = service({}, tables);
  expect((await list({ dataProvider: "other" })).names).toBe("w");
  expect((await list({}, ["b"])).names).toBe("x,y");
  expect((await list({}, [])).names).toBe("");
  await expect(list({ dataProvider: "other" }, ["b"])).rejects.toMatchObject({ data: { dataSource: "c" } });
  await expect(list({ dataProvider: "none" })).rejects.toMatchObject({ data: { dataProvider: "none" } });
});

it("leaves out a source that cannot be read, unless the call names it or fails for another reason", async () => {
  const failing = (error: Error) =>
    service({
      async tables({ source }) {
        if (source.name === "b") throw error;
        return [table(`of_${source.name}`)];
      },
    });
  const { list, leftOut } = failing(unreadable);
  expect((await list({})).names).toBe("of_a,of_c");
  expect(leftOut.mock.calls).toEqual([[expect.anything(), "b", unreadable]]);
  await expect(list({ dataSource: "b" })).rejects.toBe(unreadable);
  await expect(failing(new Error("broken")).list({})).rejects.toThrow("broken");
});

it("lists no tables of an adapter that has none to list", async () => {
  const { tables: _, ...plain } = { ...idleKind, tables: undefined };
  const { parts, context } = service();
  const sources = { ...parts.sources, kindOf: (_source: Source) => plain };
  expect((await listTables({}, context(), { ...parts, sources })).tables).toEqual([]);
  expect((await completeSql({ sql: "sel" }, context(), { ...parts, sources })).completions).toEqual([]);
});

it("completes at the position of the call, at most at the end of the text", async () => {
  const asked: string[] = [];
  const complete: SourceKind["complete"] = async ({ sql }, position) => {
    asked.push(`${sql} ${position}`);
    return [{ text: "select", start: 1, kind: "keyword" }];
  };
  const { parts, context } = service({ complete });
  const call = async (params: Parameters<typeof completeSql>[0]) =>
    (await completeSql(params, context(), parts)).completions;
  expect(await call({ sql: "sel" })).toEqual([{ text: "select", start: 1, end: 3, kind: "keyword" }]);
  expect((await call({ sql: "sel", position: 2 }))[0]?.end).toBe(2);
  expect((await call({ sql: "sel", position: 9 }))[0]?.end).toBe(3);
  expect((await call({ sql: " " }))[0]?.end).toBe(1);
  expect(asked).toEqual(["sel 3", "sel 2", "sel 3", "  1"]);
  await expect(call({ sql: "x".repeat(300_000) })).rejects.toMatchObject({
    data: { issues: [{ pointer: "/params/0/sql" }] },
  });
});
