import { type Client, createClient } from "@quern/client";
import { createMockServer } from "@quern/mock-server";
import { QueryClient } from "@tanstack/react-query";
import { expect, it, vi } from "vitest";
import { patience } from "../../query-options/test/support/service.ts";
import { getSqlStatementOptions, infiniteResultsOptions, queryResultsOptions, queryRunOptions } from "../src/index.ts";

const paged = { sql: "select n", pageSize: 1 };
const readPages = (queryClient: QueryClient, client: Client) =>
  queryClient.fetchInfiniteQuery({ ...infiniteResultsOptions(client, paged), pages: 2 });

/** Function that reads, the method whose request is aborted, and the number of its requests that are answered before. */
const readings = [
  ["a method", "getSqlStatement", 0, (q, c) => q.fetchQuery(getSqlStatementOptions(c, { sqlStatementId: "one" }))],
  ["a run", "getQueryRun", 0, (q, c) => q.fetchQuery(queryRunOptions(c, "one"))],
  ["a result that is waited for", "getQueryRun", 0, (q, c) => q.fetchQuery(queryResultsOptions(c, paged))],
  ["a result that is read", "getQueryRunResults", 1, (q, c) => q.fetchQuery(queryResultsOptions(c, paged))],
  ["a page that is waited for", "getQueryRun", 0, readPages],
  ["a page that is read", "getQueryRunResults", 1, readPages],
] satisfies [string, string, number, (queryClient: QueryClient, client: Client) => Promise<unknown>][];

it.each(readings)("of %s withdraws its request", async (_, method, answered, read) => {
  const mock = createMockServer();
  // A run that ends at its create would be answered with its first page.
  mock
    .when("select n")
    .rows([{ n: 1 }, { n: 2 }, { n: 3 }])
    .afterPolls(2);
  const held: AbortSignal[] = [];
  let left = answered;
  const fetch: typeof mock.fetch = (input, init) => {
    if (!String(init?.body).includes(`"${method}"`) || left-- > 0) return mock.fetch(input, init);
    return new Promise((_resolve, reject) => {
      const { signal } = init ?? {};
      if (!signal) return;
      signal.addEventListener("abort", () => reject(signal.reason));
      held.push(signal);
    });
  };
  const queryClient = new QueryClient();
  const reading = read(queryClient, createClient({ ...mock, fetch })).catch(() => "stopped");
  await vi.waitFor(() => expect(held).not.toEqual([]), patience);
  await queryClient.cancelQueries();
  expect(await reading).toBe("stopped");
  await vi.waitFor(() => expect(held.every(({ aborted }) => aborted)).toBe(true), patience);
});
