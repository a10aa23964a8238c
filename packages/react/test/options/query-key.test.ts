import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { type RowSchema, sql } from "@quern/client";
import { type DehydratedState, dehydrate, hashKey, hydrate, QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import type { RowsQuery } from "../../src/index.ts";
import { createService, patience } from "../support/page.tsx";

const schemaOf = (by: string): RowSchema<object> => ({ "~standard": { validate: (row) => ({ value: { row, by } }) } });

/** One that has seen no schema yet, as on a server or in a page. */
async function openModule() {
  vi.resetModules();
  return import("../../src/index.ts");
}

it("is the same on a server and in its page, in whatever order they meet their schemas", async () => {
  const { mock, client, created } = createService();
  mock.when(/select/).rows([{ n: 1 }]);
  const queries = ["one", "two"].map((by) => ({ sql: `select ${by}`, maxAgeMinutes: 60, schema: schemaOf(by) }));
  const readAll = async (queryClient: QueryClient, asked: readonly RowsQuery<object>[]) => {
    const { queryResultsOptions } = await openModule();
    for (const query of asked) await queryClient.fetchQuery(queryResultsOptions(client, query));
  };
  const onServer = new QueryClient();
  await readAll(onServer, queries);
  const state: DehydratedState = JSON.parse(JSON.stringify(dehydrate(onServer)));
  const inPage = new QueryClient();
  hydrate(inPage, state);
  await readAll(inPage, queries.toReversed());
  expect(created).toEqual(["select one", "select two"]);
});

it("tells apart what is read by one schema, by another and by none", async () => {
  const { queryResultsOptions, infiniteResultsOptions } = await openModule();
  const { client } = createService();
  const [one, two] = [schemaOf("one"), schemaOf("two")];
  for (const optionsOf of [queryResultsOptions, infiniteResultsOptions]) {
    const keyOf = (schema?: RowSchema<object>) => hashKey(optionsOf(client, { sql: "a", schema }).queryKey);
    const keys = [keyOf(), keyOf(one), keyOf(two)];
    expect(new Set(keys).size).toBe(3);
    expect([keyOf(), keyOf(one), keyOf(two)]).toEqual(keys);
  }
});

it("forgets the schemas of a statement that no query in a cache uses", async () => {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  const { queryResultsOptions } = await openModule();
  const { mock, client } = createService();
  mock.when("a").rows([{ n: 1 }]);
  const queryClient = new QueryClient();
  const read = async (by: string) => {
    const { queryKey } = queryResultsOptions(client, { sql: "a", schema: schemaOf(by) });
    await queryClient.fetchQuery(queryResultsOptions(client, { sql: "a", schema: schemaOf(by) }));
    return queryKey.at(-2);
  };
  expect(await read("one")).toBe(1);
  collect();
  expect(await read("two")).toBe(3);
  queryClient.clear();
  await vi.waitFor(async () => {
    collect();
    expect(await read("three")).toBe(1);
    queryClient.clear();
  }, patience);
});

it("is data that a server component can hand to the page: no symbol of an `sql` fragment is in it", async () => {
  const { queryResultsOptions } = await openModule();
  const { queryKey } = queryResultsOptions(createService().client, { ...sql`select ${1}`, maxAgeMinutes: 60 });
  expect(queryKey).toContainEqual({ sql: "select $1", parameters: [1] });
  expect(JSON.parse(JSON.stringify(queryKey)).map(hashKey)).toEqual(
    queryKey.map((part) => hashKey([part]).slice(1, -1)),
  );
});

it("is another one for each member that identifies a statement, and the same for those that say how it is read", async () => {
  const { statementKey } = await openModule();
  const { client } = createService();
  const keyOf = (members: object) => hashKey(statementKey(client, { sql: "a", ...members }));
  const reading = {
    maxAgeMinutes: 1,
    resultTTLHours: 2,
    filters: [],
    sortBy: [],
    format: "json",
    pageSize: 3,
    maxRows: 4,
  };
  expect(keyOf({ ...reading, schema: schemaOf("one") })).toBe(keyOf({}));
  const names = ["parameters", "dataSource", ...Object.keys(reading).flatMap((name) => [`${name}s`, `my${name}`])];
  expect(new Set(names.map((name) => keyOf({ [name]: 1 }))).size).toBe(names.length);
});

it("refuses parameters that a key and a call would have as null", async () => {
  const { queryResultsOptions, infiniteResultsOptions, statementKey } = await openModule();
  const { client, created } = createService();
  for (const value of [Number.NaN, Infinity, -Infinity, new Date(Number.NaN), undefined])
    for (const parameters of [[value], { a: value }] as never[])
      for (const optionsOf of [queryResultsOptions, infiniteResultsOptions, statementKey])
        expect(() => optionsOf(client, { sql: "a", parameters }), String(value)).toThrow(TypeError);
  expect(created).toEqual([]);
});

it("tells apart filters by NaN, the infinities and null", async () => {
  const { queryResultsOptions } = await openModule();
  const { client } = createService();
  const keyOf = (eq: number | null) =>
    hashKey(queryResultsOptions(client, { sql: "a", filters: [{ column: "n", eq }] }).queryKey);
  const values = [Number.NaN, Infinity, -Infinity, null, 0];
  expect(new Set(values.map(keyOf)).size).toBe(values.length);
});
