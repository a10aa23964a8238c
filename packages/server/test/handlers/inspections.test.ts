import { EngineLostError, type SourceKind, type SourceTable, StatementError } from "@quern/adapter";
import type { ListTablesParams } from "@quern/protocol/types";
import { expect, it, vi } from "vitest";
import { completeSql } from "../../src/handlers/complete-sql.ts";
import type { Context, Service } from "../../src/handlers/context.ts";
import { describeQuery } from "../../src/handlers/describe-query.ts";
import { listTables } from "../../src/handlers/list-tables.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { idleKind } from "../fixture.ts";

/** Parts of a service with the sources `a` and `b`, whose adapter is given. */
function inspecting(kind: Partial<SourceKind>, allowed: readonly string[] | null = null) {
  const sources = createSourceCatalog(
    () => ["a", "b"].map((name) => ({ name, provider: `of ${name}`, oldNames: false })),
    new Map([["duckdb", { ...idleKind, ...kind }]]),
  );
  const [leftOut, audited] = [vi.fn(), vi.fn()];
  const usage = { spent: async () => undefined, inspected: () => {} };
  const service = {
    sources,
    limits: { describeTimeoutSeconds: 60 },
    telemetry: { leftOut, audited, usage },
    limitsOf: async () => ({}),
    inspections: { acquire: async () => () => {} },
  } as unknown as Service;
  const principal = { tenantId: "acme", userId: "ann", apiKeyId: "key", scopes: new Set(["read"]), sources: allowed };
  const context = { principal, headers: new Headers(), signal: new AbortController().signal } as unknown as Context;
  return { service, context, leftOut, audited };
}

const column = { name: "Id", kind: "number", engineType: "INTEGER", nullable: false } as const;
const table = (name: string, schema = "main", catalog = "c"): SourceTable => ({
  catalog,
  schema,
  name,
  columns: [column],
});

/** Lists tables of an adapter, of which `tables` has those of each source. */
function listing(tables: (source: string) => readonly SourceTable[], allowed: readonly string[] | null = null) {
  const parts = inspecting({ tables: async ({ source }) => tables(source.name) }, allowed);
  const list = async (params: ListTablesParams = {}) => {
    const { tables, nextCursor } = await listTables(params, parts.context, parts.service);
    return { names: tables.map(({ dataSource, name }) => `${dataSource} ${name}`), nextCursor, tables };
  };
  return { ...parts, list };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => table(String(index).padStart(3, "0")));

it("lists 100 tables by default, and a cursor only if there are more", async () => {
  const exactly = await listing((source) => (source === "a" ? numbered(100) : [])).list();
  expect([exactly.names.length, exactly.nextCursor]).toEqual([100, null]);
  const { list } = listing((source) => (source === "a" ? numbered(100) : numbered(1)));
  const first = await list();
  expect([first.names.length, first.names.at(-1)]).toEqual([100, "a 099"]);
  expect(await list({ cursor: first.nextCursor ?? "" })).toMatchObject({ names: ["b 000"], nextCursor: null });
});

it("sorts the tables of a source by catalog, schema and name, and continues after the cursor", async () => {
  const unsorted = [table("b"), table("a", "z"), table("a"), table("z", "a", "b"), table("c")];
  const { list } = listing((source) => (source === "a" ? unsorted : []));
  expect((await list()).names).toEqual(["a z", "a a", "a b", "a c", "a a"]);
  const seen: string[] = [];
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await list({ limit: 2, ...(cursor !== undefined && { cursor }) });
    seen.push(page.names.join(", "));
    cursor = page.nextCursor;
  }
  expect(seen).toEqual(["a z, a a", "a b, a c", "a a"]);
});

it("asks no source after the page is full", async () => {
  const tables = vi.fn(() => numbered(2));
  const { list } = listing(tables);
  await list({ limit: 1 });
  expect(tables.mock.calls).toEqual([["a"]]);
});

it("restarts the list if the source of the cursor has been removed", async () => {
  const cursor = Buffer.from(JSON.stringify(["removed", "c", "main", "zzz"])).toString("base64url");
  const { list } = listing((source) => [table(`of ${source}`)]);
  expect((await list({ cursor })).names).toEqual(["a of a", "b of b"]);
});

it.each(["{", '["a","b","c"]', '["a","b","c","d","e"]', '["a","b","c",7]', '"abcd"'])(
  "refuses the cursor %s",
  async (text) => {
    const { list } = listing(() => []);
    await expect(list({ cursor: Buffer.from(text).toString("base64url") })).rejects.toMatchObject({
      data: { issues: [{ pointer: "/params/0/cursor", expected: "the nextCursor of an earlier call" }] },
    });
  },
);

it("shows the columns and the provider of a table", async () => {
  const { list } = listing((source) => (source === "b" ? [table("Orders")] : []));
  const columns = [{ name: "Id", type: "number", engineType: "INTEGER", nullable: false }];
  expect((await list()).tables).toEqual([
    { dataSource: "b", dataProvider: "of b", catalog: "c", schema: "main", name: "Orders", columns },
  ]);
});

it("lists the sources that the caller may query, of a provider if the call names one", async () => {
  const tables = (source: string) => [table(`of ${source}`)];
  expect((await listing(tables, ["b"]).list()).names).toEqual(["b of b"]);
  expect((await listing(tables, []).list()).names).toEqual([]);
  const { list } = listing(tables, ["b"]);
  expect((await list({ dataProvider: "of b" })).names).toEqual(["b of b"]);
  await expect(list({ dataProvider: "of a" })).rejects.toMatchObject({ data: { dataSource: "a" } });
  await expect(list({ dataProvider: "none" })).rejects.toMatchObject({ data: { dataProvider: "none" } });
  await expect(list({ dataSource: "a" })).rejects.toMatchObject({ data: { dataSource: "a" } });
});

it("has no tables of an adapter that cannot list them", async () => {
  const { service, context } = inspecting({});
  expect(await listTables({}, context, service)).toEqual({ tables: [], nextCursor: null });
});

it.each([
  new EngineLostError("lost"),
  new StatementError({ name: "X", message: "", data: { category: "USER" } }),
  new Error("a defect"),
])("omits a source that cannot be read (%s), unless the call names it or the service is at fault", async (error) => {
  const { list, leftOut, context } = listing((source) => {
    if (source === "a") throw error;
    return [table("t")];
  });
  const isDefect = error.message === "a defect";
  if (isDefect) await expect(list()).rejects.toBe(error);
  else expect((await list()).names).toEqual(["b t"]);
  expect(leftOut.mock.calls).toEqual(isDefect ? [] : [[context, "a", error]]);
  const named = await list({ dataSource: "a" }).catch((thrown: unknown) => thrown);
  if (error instanceof EngineLostError) expect(named).toMatchObject({ code: -32_178, cause: error });
  else expect(named).toBe(error);
});

it("completes at a position, by default at the end, with the part of the text that is replaced", async () => {
  const complete = vi.fn(async () => [{ text: "orders", start: 2, kind: null }]);
  const { service, context } = inspecting({ complete });
  const completed = (params: Parameters<typeof completeSql>[0]) => completeSql(params, context, service);
  expect(await completed({ sql: "from" })).toEqual({
    completions: [{ text: "orders", start: 2, end: 4, kind: null }],
  });
  for (const [sql, position] of [
    ["from", 0],
    ["from", 9],
    [" ", 1],
    ["", 3],
  ] as const)
    await completed({ sql, position });
  const asked = complete.mock.calls as unknown as [{ sql: string }, number][];
  expect(asked.map(([{ sql }, position]) => [sql, position])).toEqual([
    ["from", 4],
    ["from", 0],
    ["from", 4],
    [" ", 1],
    ["", 0],
  ]);
  expect(asked[0]?.[0]).toMatchObject({ source: { name: "a" }, tenantId: "acme", userId: "ann" });
  const sql = "x".repeat(1_000_000);
  await expect(completed({ sql })).rejects.toMatchObject({ data: { issues: [{ pointer: "/params/0/sql" }] } });
});

it("has no completions of an adapter without them, and reports a lost engine", async () => {
  const plain = inspecting({});
  expect(await completeSql({ sql: "" }, plain.context, plain.service)).toEqual({ completions: [] });
  const lost = inspecting({ complete: () => Promise.reject(new EngineLostError("lost")) });
  await expect(completeSql({ sql: "" }, lost.context, lost.service)).rejects.toMatchObject({ code: -32_178 });
});

it("describes a statement, and records that with its hash", async () => {
  const describe = vi.fn(async () => ({ columns: [column], parameters: [{ name: "p", type: null }] }));
  const { service, context, audited } = inspecting({ describe: describe as never });
  expect(await describeQuery({ sql: "select 1" }, context, service)).toEqual({
    columns: [{ name: "Id", type: "number", engineType: "INTEGER", nullable: true }],
    parameters: [{ name: "p", type: null }],
  });
  const [query] = describe.mock.calls[0] as unknown as [object];
  expect(query).toMatchObject({ sql: "select 1", parameters: null, tenantId: "acme", userId: "ann" });
  const statementHash = "822ae07d4783158bc1912bb623e5107cc9002d519e1143a9c200ed6ee18b6d0f";
  expect(audited.mock.calls).toEqual([[context, "query.describe", { statementHash, source: "a" }]]);
  await expect(describeQuery({ sql: " " }, context, service)).rejects.toMatchObject({ code: -32_602 });
});

it.each<[string, Error, object]>([
  [
    "an error of the statement",
    new StatementError({ name: "X", message: "wrong", data: { category: "USER" } }),
    { code: -32_173, data: { errorName: "X", errorMessage: "wrong", errorData: { category: "USER" } } },
  ],
  [
    "a lost engine",
    new EngineLostError("lost"),
    {
      code: -32_173,
      data: { errorName: "EngineLost", errorMessage: "lost", errorData: { category: "RESOURCE", retryable: true } },
    },
  ],
])("reports %s as an invalid query", async (_, error, expected) => {
  const { service, context } = inspecting({ describe: () => Promise.reject(error) });
  await expect(describeQuery({ sql: "select 1" }, context, service)).rejects.toMatchObject(expected);
});

it("passes on an error of the service by which a statement cannot be described", async () => {
  const error = new Error("a defect");
  const { service, context } = inspecting({ describe: () => Promise.reject(error) });
  await expect(describeQuery({ sql: "select 1" }, context, service)).rejects.toBe(error);
});
