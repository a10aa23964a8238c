import { expectTypeOf, test } from "vitest";
import { Flipside, type QueryError, type QueryRunExecutionError, type QueryRunStats } from "../src/flipside.ts";

declare const flipside: Flipside;

test("a result set has the members that programs read", async () => {
  const { records, rows, runStats } = await flipside.query.run({ sql: "select 1 as n" });
  expectTypeOf(records?.[0]?.n).toEqualTypeOf<string | number | boolean | null | undefined>();
  expectTypeOf(rows?.[0]?.[0]).toEqualTypeOf<string | number | boolean | null | undefined>();
  expectTypeOf(runStats).toEqualTypeOf<QueryRunStats | null>();
  // @ts-expect-error: the service that had an address by default is closed
  new Flipside("key");
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
