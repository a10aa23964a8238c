import { expectTypeOf, test } from "vitest";
import {
  ApiError,
  type Filter,
  Flipside,
  type Query,
  type QueryError,
  type QueryResultSet,
  QueryRunExecutionError,
  QueryRunRateLimitError,
  type QueryRunStats,
  QueryRunTimeoutError,
  ServerError,
  type SortBy,
  UnexpectedSDKError,
  UserError,
} from "../src/flipside.ts";

declare const flipside: Flipside;

test("a result set has the members that programs read", async () => {
  const { records, rows, runStats } = await flipside.query.run({ sql: "select 1 as n" });
  expectTypeOf(records?.[0]?.n).toBeAny();
  expectTypeOf(rows?.[0]).toBeAny();
  expectTypeOf(runStats).toEqualTypeOf<QueryRunStats | null>();
  // @ts-expect-error: the address has no default, because the old service is closed
  new Flipside("key");
});

test("programs of the old client compile as they are", async () => {
  const KEY = process.env.QUERN_API_KEY ?? "";
  const { query } = new Flipside(KEY, process.env.QUERN_URL);
  const { rows, records, error, runStats } = await query.run({ sql: "select 1 as n" });
  const sum: number = rows?.map((row) => row[0]).reduce((one, other) => one + other, 0) ?? 0;
  const [{ n, name } = { n: 0, name: "" }] = records as { n: number; name: string }[];
  const total: number = records?.[0]?.n.toFixed(2).length + (runStats?.elapsedSeconds ?? 0);
  const line: string = error?.data.position.line;
  const run = await query.getQueryRun({ queryRunId: "run" });
  const megabytes: number = run.totalSize / 1e6;
  run.tags = {};
  const filter: Filter = { column: "n" };
  filter.in = [1, "two"];
  return { sum, n, name, total, line, megabytes, reason: run.errorData.position };
});

test("queries and results are writable, as in the old types", async () => {
  const query: Query = { sql: "select 1 as n" };
  query.pageSize = 10;
  const filter: Filter = { column: "n" };
  filter.gte = 5;
  const sort: SortBy = { column: "n", direction: "asc" };
  sort.direction = "desc";
  const result: QueryResultSet = await flipside.query.run(query);
  result.records = [{ n: 1 }];
  if (result.page) result.page.totalRows = 1;
});

test("an error can be tested for each class", ({ result }: { result?: QueryResultSet }) => {
  const error = result?.error;
  if (error instanceof QueryRunTimeoutError) return error.message;
  if (error instanceof QueryRunExecutionError) return error.message;
  if (error instanceof QueryRunRateLimitError) return error.message;
  if (error instanceof ApiError) return error.message;
  if (error instanceof ServerError) return error.message;
  if (error instanceof UserError) return error.message;
  return error instanceof UnexpectedSDKError && error.message;
});

test("a switch over the types of errors can be exhaustive", () => {
  const retries = (error: QueryError): boolean => {
    switch (error.errorType) {
      case "QUERY_RUN_RATE_LIMIT_ERROR":
      case "QUERY_RUN_TIMEOUT_ERROR":
        return true;
      case "API_ERROR":
        return false;
      case "QUERY_RUN_EXECUTION_ERROR":
        expectTypeOf(error).toEqualTypeOf<QueryRunExecutionError>();
        return false;
    }
  };
  expectTypeOf(retries).returns.toEqualTypeOf<boolean>();
});
