import {
  type Client,
  type ColumnType,
  getQueryRun,
  isErrorOf,
  type QuernError,
  type QueryRun,
  type QueryRunState,
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
  type QueryPhase,
  queryResultsOptions,
  queryRunOptions,
  type RowsQuery,
  useInfiniteResults,
  useMethod,
  usePanelQueue,
  useQueryResults,
  useQueryRun,
} from "../../src/index.ts";

declare const client: Client;

test("an order suggests the keys of a row with a type, and takes any column", () => {
  interface Car {
    readonly name: string;
    readonly year: number;
  }
  type Column<Row> = NonNullable<RowsQuery<Row>["sortBy"]>[number]["column"];
  expectTypeOf<Column<Car>>().toEqualTypeOf<"name" | "year" | (string & {})>();
  const sortBy = [{ column: "Origin", direction: "asc" }] as const;
  expectTypeOf(useQueryResults({ sql: "select 1", sortBy }).data?.rows[0]).toEqualTypeOf<UntypedRow | undefined>();
  const typed = useQueryResults<Car>({ sql: "select 1", sortBy: [{ column: "name", direction: "desc" }] });
  expectTypeOf(typed.data?.rows[0]).toEqualTypeOf<Car | undefined>();
});

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

test("hooks take the options of TanStack Query, and refuse others", () => {
  const query = { sql: "select 1 as n" };
  const count = useQueryResults(query, { select: ({ rows }) => rows.length, enabled: false, refetchInterval: 1000 });
  expectTypeOf(count.data).toEqualTypeOf<number | undefined>();
  expectTypeOf(count.error).toEqualTypeOf<QuernError | null>();
  const typed = useQueryResults<{ n: number }, number>(query, {
    select: ({ rows }) => rows[0]?.n ?? 0,
    gcTime: 1,
    retry: 2,
  });
  expectTypeOf(typed.data).toEqualTypeOf<number | undefined>();
  const pages = useInfiniteResults<{ n: number }, number>(query, {
    select: (data) => data.pages[0]?.rows[0]?.n ?? 0,
    maxPages: 3,
    placeholderData: (previous) => previous,
  });
  expectTypeOf(pages.data).toEqualTypeOf<number | undefined>();
  const run = useQueryRun("run", {
    select: ({ state }) => state,
    refetchInterval: ({ state }) => (state.data ? 1 : false),
  });
  expectTypeOf(run.data).toEqualTypeOf<QueryRunState | undefined>();
  const method = useMethod(getQueryRunOptions, { queryRunId: "run" }, { select: ({ queryRun }) => queryRun.id });
  expectTypeOf(method.data).toEqualTypeOf<string | undefined>();
  // @ts-expect-error: the key follows from the query
  useQueryResults(query, { queryKey: ["mine"] });
  // @ts-expect-error: pages follow from the run
  useInfiniteResults(query, { getNextPageParam: () => null });
});

test("data hooks give their run", () => {
  const query = { sql: "select 1 as n" };
  const hooks = [useQueryResults(query), useInfiniteResults(query)];
  for (const hook of hooks) {
    expectTypeOf(hook.queryRunId).toEqualTypeOf<string | undefined>();
    expectTypeOf(hook.asOf).toEqualTypeOf<string | undefined>();
    expectTypeOf(hook.state).toEqualTypeOf<QueryPhase>();
    expectTypeOf(hook.cancel).returns.toEqualTypeOf<Promise<void>>();
    expectTypeOf(hook.refresh).returns.toEqualTypeOf<Promise<void>>();
  }
  const narrowed = useQueryResults<{ n: number }>(query);
  if (narrowed.isSuccess) expectTypeOf(narrowed.data.rows).toEqualTypeOf<readonly { n: number }[]>();
});

test("a method's hook takes its params and gives its result", () => {
  const { data } = useMethod(getQueryRunOptions, { queryRunId: "run" });
  expectTypeOf(data?.queryRun).toEqualTypeOf<QueryRun | undefined>();
  // @ts-expect-error: the member has another name
  useMethod(getQueryRunOptions, { id: "run" });
});

test("the errors of a hook narrow to each kind and each code", () => {
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
    case -32178:
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
    useInfiniteQuery(infiniteResultsOptions<{ n: number }>(client, { sql: "select 1 as n" }, usePanelQueue())).error,
  ).toEqualTypeOf<QuernError | null>();
  // @ts-expect-error: a place has no rank
  useQueryResults({ sql: "select 1" }, { rank: 1 });
});
