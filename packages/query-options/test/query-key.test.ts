import { type RowSchema, sql } from "@quern/client";
import { type DehydratedState, dehydrate, hashKey, hydrate, QueryClient } from "@tanstack/query-core";
import { expect, it } from "vitest";
import { infiniteResultsOptions, queryResultsOptions, type RowsQuery, statementKey } from "../src/index.ts";
import { createService } from "./support/service.ts";

const schemaOf = (by: string): RowSchema<object> => ({ "~standard": { validate: (row) => ({ value: { row, by } }) } });

it("tells apart rows of a schema and rows of none, and schemas by the key that the caller gives", () => {
  const { client } = createService();
  const [one, two] = [schemaOf("one"), schemaOf("two")];
  for (const optionsOf of [queryResultsOptions, infiniteResultsOptions]) {
    const keyOf = (members: Partial<RowsQuery<object>>) =>
      hashKey(optionsOf(client, { sql: "a", ...members }).queryKey);
    const keys = [{}, { schema: one }, { schema: one, schemaKey: "one" }, { schema: two, schemaKey: "two" }].map(keyOf);
    expect(new Set(keys).size).toBe(keys.length);
    expect(keyOf({ schema: two, schemaKey: "one" })).toBe(keys[2]);
  }
});

it("is the same on a server and in its page, in whatever order they use their schemas", async () => {
  const { mock, client, created } = createService();
  mock.when("select").rows([{ n: 1 }]);
  const queries = ["one", "two"].map((by) => ({
    sql: "select",
    maxAgeMinutes: 60,
    schema: schemaOf(by),
    schemaKey: by,
  }));
  const onServer = new QueryClient();
  for (const query of queries) await onServer.fetchQuery(queryResultsOptions(client, query));
  const state: DehydratedState = JSON.parse(JSON.stringify(dehydrate(onServer)));
  const inPage = new QueryClient();
  hydrate(inPage, state);
  for (const query of queries.toReversed()) {
    const { rows } = await inPage.fetchQuery(queryResultsOptions(client, query));
    expect(rows).toEqual([{ row: { n: 1 }, by: query.schemaKey }]);
  }
  expect(created).toEqual(["select"]);
});

it("is data that a server component can hand to the page: no symbol of an `sql` fragment is in it", () => {
  const { queryKey } = queryResultsOptions(createService().client, { ...sql`select ${1}`, maxAgeMinutes: 60 });
  expect(queryKey).toContainEqual({ sql: "select $1", parameters: [1] });
  expect(JSON.parse(JSON.stringify(queryKey)).map(hashKey)).toEqual(
    queryKey.map((part) => hashKey([part]).slice(1, -1)),
  );
});

it("is another one for each member that identifies a statement, and the same for those that say how it is read", () => {
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
  expect(keyOf({ ...reading, schema: schemaOf("one"), schemaKey: "one" })).toBe(keyOf({}));
  const names = ["parameters", "dataSource", ...Object.keys(reading).flatMap((name) => [`${name}s`, `my${name}`])];
  expect(new Set(names.map((name) => keyOf({ [name]: 1 }))).size).toBe(names.length);
});

it("refuses parameters that a key and a call would have as null", () => {
  const { client, created } = createService();
  for (const value of [Number.NaN, Infinity, -Infinity, new Date(Number.NaN), undefined])
    for (const parameters of [[value], { a: value }] as never[])
      for (const optionsOf of [queryResultsOptions, infiniteResultsOptions, statementKey])
        expect(() => optionsOf(client, { sql: "a", parameters }), String(value)).toThrow(TypeError);
  expect(created).toEqual([]);
});

it("tells apart filters by NaN, the infinities and null", () => {
  const { client } = createService();
  const keyOf = (eq: number | null) =>
    hashKey(queryResultsOptions(client, { sql: "a", filters: [{ column: "n", eq }] }).queryKey);
  const values = [Number.NaN, Infinity, -Infinity, null, 0];
  expect(new Set(values.map(keyOf)).size).toBe(values.length);
});
