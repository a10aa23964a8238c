import { shareQuery, sql } from "@quern/client";
import { dehydrate, hydrate, QueryClient } from "@tanstack/query-core";
import { expect, it } from "vitest";
import { infiniteResultsOptions, queryResultsOptions } from "../src/index.ts";
import { createService } from "./support/service.ts";

it("refuses parameters that JSON cannot hold in a shared query and in both factories, and sends nothing", async () => {
  const { client, sent } = createService();
  for (const value of [Number.NaN, Infinity, 2 ** 60, 10n, undefined, new Date(Number.NaN)]) {
    const request = { sql: "a", parameters: [value] } as never;
    const over: boolean[] = [];
    const shared = shareQuery(client, request, { onChange: (isOver) => over.push(isOver) });
    await expect(shared.join(new AbortController().signal), String(value)).rejects.toThrow(TypeError);
    expect(over).toEqual([true]);
    for (const optionsOf of [queryResultsOptions, infiniteResultsOptions])
      expect(() => optionsOf(client, request), String(value)).toThrow(TypeError);
  }
  expect(sent).toEqual([]);
});

it("finds the pages of a persisted cache again whose filters JSON cannot hold", async () => {
  const { mock, client, sent } = createService();
  mock.when("a").rows([{ n: 1 }]);
  const filters = [{ column: "n", neq: Number.NaN, in: [1, Infinity, -Infinity, 2 ** 60] }];
  const request = { sql: "a", maxAgeMinutes: 60, maxRows: Infinity, filters };
  const first = new QueryClient();
  const page = await first.fetchInfiniteQuery(infiniteResultsOptions(client, request));
  const whole = await first.fetchQuery(queryResultsOptions(client, request));
  const { length } = sent;
  const restored = new QueryClient();
  hydrate(restored, JSON.parse(JSON.stringify(dehydrate(first))));
  expect(await restored.fetchInfiniteQuery(infiniteResultsOptions(client, request))).toEqual(page);
  expect(await restored.fetchQuery(queryResultsOptions(client, request))).toEqual(whole);
  expect(sent).toHaveLength(length);
  const other = { ...request, filters: [{ column: "n", neq: null }] };
  expect(restored.getQueryData(queryResultsOptions(client, other).queryKey)).toBeUndefined();
});

it("has no member in a query from the sql tag that a server component cannot pass to the page", () => {
  const query = { ...sql`select ${1} as n where ${sql`n < ${2n ** 60n}`}`, maxAgeMinutes: 60 };
  expect(Object.getOwnPropertySymbols(query)).toEqual([]);
  expect(JSON.parse(JSON.stringify(query))).toEqual(query);
});
