import { type RowSchema, sql } from "@quern/client";
import { type DehydratedState, dehydrate, hashKey, hydrate, QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import type { RowsQuery } from "../src/index.ts";
import { createService } from "./support/page.tsx";

const schemaOf = (by: string): RowSchema<object> => ({ "~standard": { validate: (row) => ({ value: { row, by } }) } });

/** One that has seen no schema yet, as on a server or in a page. */
async function openModule() {
  vi.resetModules();
  return import("../src/index.ts");
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

it("is data that a server component can hand to the page: no symbol of an `sql` fragment is in it", async () => {
  const { queryResultsOptions } = await openModule();
  const { queryKey } = queryResultsOptions(createService().client, { ...sql`select ${1}`, maxAgeMinutes: 60 });
  expect(queryKey.at(-1)).toStrictEqual({ sql: "select $1", parameters: [1], maxAgeMinutes: 60 });
});
