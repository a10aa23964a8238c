import {
  type Client,
  type ColumnType,
  getQueryRun,
  isErrorOf,
  type QuernError,
  type QueryRun,
  type UntypedRow,
} from "@quern/client";
import {
  QueryClient,
  useInfiniteQuery,
  useQuery,
  useSuspenseInfiniteQuery,
  useSuspenseQuery,
} from "@tanstack/react-query";
import { expectTypeOf, test } from "vitest";
import {
  getQueryRunOptions,
  infiniteResultsOptions,
  queryResultsOptions,
  queryRunOptions,
  type RowsQuery,
  useInfiniteResults,
  useMethod,
  useQueryResults,
  useTurn,
} from "../src/index.ts";

declare const client: Client;

test("a hook knows its rows and its error", () => {
  const untyped = useQueryResults({ sql: "select 1" });
  expectTypeOf(untyped.error).toEqualTypeOf<QuernError | null>();
  expectTypeOf(untyped.data?.rows[0]).toEqualTypeOf<UntypedRow | undefined>();
  expectTypeOf(untyped.data?.columnTypes[0]).toEqualTypeOf<ColumnType | undefined>();
  // @ts-expect-error: a filter says what it compares with
  useQueryResults({ sql: "select 1", filters: [{ column: "n" }] });
  const typed = useQueryResults<{ n: number }>({ sql: "select 1 as n" });
  expectTypeOf(typed.data?.rows[0]?.n).toEqualTypeOf<number | undefined>();
});

test("a schema gives the rows their type", () => {
  const request: RowsQuery<{ n: number }> = {
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

test("pages know their rows in any hook, when something is selected from them and in the cache", () => {
  const options = infiniteResultsOptions<{ n: number }>(client, { sql: "select 1 as n" });
  const select = useInfiniteQuery({ ...options, select: ({ pages }) => pages.flatMap(({ rows }) => rows) });
  expectTypeOf(select.data).toEqualTypeOf<{ n: number }[] | undefined>();
  expectTypeOf(useSuspenseInfiniteQuery(options).data.pages[0]?.rows[0]).toEqualTypeOf<{ n: number } | undefined>();
  const cached = new QueryClient().getQueryData(options.queryKey);
  expectTypeOf(cached?.pages[0]?.rows[0]).toEqualTypeOf<{ n: number } | undefined>();
});

test("a method's hook takes its params and gives its result", () => {
  const { data } = useMethod(getQueryRunOptions, { queryRunId: "run" });
  expectTypeOf(data?.queryRun).toEqualTypeOf<QueryRun | undefined>();
  // @ts-expect-error: the member has another name
  useMethod(getQueryRunOptions, { id: "run" });
});

test("the errors of a hook are told apart to the last kind and the last code", () => {
  const { error } = useMethod(getQueryRunOptions, { queryRunId: "run" });
  if (!error) return;
  switch (error.kind) {
    case "rpc":
    case "undeclared":
    case "http":
    case "network":
    case "timeout":
    case "aborted":
    case "failed":
    case "canceled":
    case "protocol":
      break;
    default:
      expectTypeOf(error).toBeNever();
  }
  if (!isErrorOf(getQueryRun, error)) return;
  switch (error.code) {
    case -32099:
      expectTypeOf(error.data).toHaveProperty("queryRunId");
      break;
    case -32602:
    case -32163:
    case -32029:
      break;
    default:
      expectTypeOf(error).toBeNever();
  }
});

test("a panel's place is an element and a priority", () => {
  const element = { current: null as HTMLElement | null };
  expectTypeOf(
    useQueryResults<{ n: number }>({ sql: "select 1 as n" }, { element, priority: 1 }).data?.rows,
  ).toEqualTypeOf<readonly { n: number }[] | undefined>();
  expectTypeOf(
    useInfiniteQuery(infiniteResultsOptions<{ n: number }>(client, { sql: "select 1 as n" }, useTurn())).error,
  ).toEqualTypeOf<QuernError | null>();
  // @ts-expect-error: a place has no rank
  useQueryResults({ sql: "select 1" }, { rank: 1 });
});
