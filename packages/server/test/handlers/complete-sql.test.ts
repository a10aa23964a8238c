import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { EngineLostError, type SourceKind } from "@quern/adapter";
import type { CompleteSqlParams, CompleteSqlResult } from "@quern/protocol/types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { inDuckDB } from "../../../duckdb/test/sources/data.ts";
import { createGate, idleKind, startServer, type TestServer, temporaryDirectory } from "../fixture.ts";

let server: TestServer;
beforeAll(async () => {
  const dataDir = await temporaryDirectory();
  await mkdir(join(dataDir, "sources"));
  await inDuckDB(
    join(dataDir, "sources", "shop.duckdb"),
    'create table orders(id bigint, "customer name" varchar)',
    "create schema past",
  );
  server = await startServer({ dataDir, sources: undefined, kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

const complete = async (params: CompleteSqlParams) =>
  (await server.call<CompleteSqlResult>("completeSql", params)).completions;
const texts = async (sql: string) => (await complete({ sql })).map(({ text }) => text);

it.each([
  ["select * from ord", { text: "orders", start: 14, end: 17, kind: "table" }],
  ["select 1 fro", { text: "from", start: 9, end: 12, kind: "keyword" }],
  ["select id, cust", { text: '"customer name"', start: 11, end: 15, kind: "column" }],
  // Two code units and four bytes of UTF-8.
  ["select '😀', id from ord", { text: "orders", start: 21, end: 24, kind: "table" }],
])("completes %s", async (sql, expected) => {
  expect(await complete({ sql })).toContainEqual(expected);
});

it("completes at a position within the text", async () => {
  const completions = await complete({ sql: "select * from ord where id = 1", position: 17 });
  expect(completions).toContainEqual({ text: "orders", start: 14, end: 17, kind: "table" });
});

it("suggests how a statement begins where there is no text yet", async () => {
  expect(await texts("")).toContain("select");
});

it("suggests nothing that the service refuses", async () => {
  expect(await texts("select * from duckdb_sett")).not.toContain("duckdb_settings");
  expect(await texts("select * from read_cs")).not.toContain("read_csv");
  expect(await texts("select getva")).not.toContain("getvariable");
  expect(await texts("select * from '/et")).toEqual([]);
});

it("takes a position beyond the text for its end", async () => {
  const [sql, text] = ["select * from ord", "orders"];
  expect(await complete({ sql, position: 1_000 })).toContainEqual({ text, start: 14, end: 17, kind: "table" });
});

it.each<[string, SourceKind["complete"]]>([
  ["is lost twice", () => Promise.reject(new EngineLostError("the process was ended by SIGKILL"))],
  ["does not answer in time", (_query, _position, signal) => createGate().pass(signal) as never],
])("advises to retry if the engine %s", async (_, fail) => {
  const kind = { ...idleKind, complete: fail as NonNullable<typeof fail> };
  await using own = await startServer({ kind, limits: { describeTimeoutSeconds: 0.2 } });
  const unavailable = { code: -32178, data: { retryAfterMs: 2_000, dataSource: "test" } };
  await expect(own.call("completeSql", { sql: "select" })).rejects.toMatchObject(unavailable);
});
