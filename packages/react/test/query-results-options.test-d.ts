import type { Client, QuernError, Query, QueryRun, UntypedRow } from "@quern/client";
import { QueryClient, useQuery, useSuspenseQuery } from "@tanstack/react-query";
import { expectTypeOf, test } from "vitest";
import {
  getQueryRunOptions,
  queryResultsOptions,
  queryRunOptions,
  useInfiniteResults,
  useMethod,
  useQueryResults,
} from "../src/index.ts";

declare const client: Client;

test("a hook knows its rows and its error", () => {
  const untyped = useQueryResults({ sql: "select 1" });
  expectTypeOf(untyped.error).toEqualTypeOf<QuernError | null>();
  expectTypeOf(untyped.data?.rows[0]).toEqualTypeOf<UntypedRow | undefined>();
  const typed = useQueryResults<{ n: number }>({ sql: "select 1 as n" });
  expectTypeOf(typed.data?.rows[0]?.n).toEqualTypeOf<number | undefined>();
});

test("a schema gives the rows their type", () => {
  const request: Query<{ n: number }> = {
    sql: "select 1 as n",
    schema: { "~standard": { validate: () => ({ value: { n: 1 } }) } },
  };
  expectTypeOf(useQueryResults(request).data?.rows[0]).toEqualTypeOf<{ n: number } | undefined>();
  expectTypeOf(useInfiniteResults(request).data?.pages[0]?.rows[0]).toEqualTypeOf<{ n: number } | undefined>();
});

test("factories work in any hook, and their keys know the data", () => {
  const options = queryResultsOptions<{ n: number }>(client, { sql: "select 1 as n" });
  expectTypeOf(useSuspenseQuery(options).data.rows[0]).toEqualTypeOf<{ n: number } | undefined>();
  expectTypeOf(useQuery(queryRunOptions(client, "run")).data).toEqualTypeOf<QueryRun | undefined>();
  const cached = new QueryClient().getQueryData(options.queryKey);
  expectTypeOf(cached?.rows[0]?.n).toEqualTypeOf<number | undefined>();
});

test("a method's hook takes its params and gives its result", () => {
  const { data } = useMethod(getQueryRunOptions, { queryRunId: "run" });
  expectTypeOf(data?.queryRun).toEqualTypeOf<QueryRun | undefined>();
  // @ts-expect-error: the member has another name
  useMethod(getQueryRunOptions, { id: "run" });
});
