import type * as sdk from "@flipsidecrypto/sdk";
import type * as ours from "@quern/client/flipside";
import { expectTypeOf, test } from "vitest";

test("types that programs read are assignable to the SDK's types", () => {
  expectTypeOf<Omit<ours.QueryResultSet, "error">>().toExtend<Omit<sdk.QueryResultSet, "error">>();
  expectTypeOf<ours.QueryResultSet["rows"]>().toEqualTypeOf<sdk.QueryResultSet["rows"]>();
  expectTypeOf<ours.QueryResultRecord>().toExtend<sdk.QueryResultRecord>();
  // Tags have the type that the caller passes, whatever the SDK declares.
  expectTypeOf<Omit<ours.QueryRun, "tags">>().toExtend<Omit<sdk.QueryRun, "tags">>();
  expectTypeOf<Omit<ours.SqlStatement, "tags">>().toExtend<Omit<sdk.SqlStatement, "tags">>();
  expectTypeOf<ours.QueryRunStats>().toExtend<sdk.QueryRunStats>();
  expectTypeOf<ours.PageStats>().toExtend<sdk.PageStats>();
  expectTypeOf<ours.QueryStatus>().toEqualTypeOf<sdk.QueryStatus>();
  type Read = Pick<sdk.QueryRunExecutionError, "name" | "message" | "errorType" | "data">;
  expectTypeOf<NonNullable<ours.QueryResultSet["error"]>>().toExtend<Read>();
});

test("arguments that programs pass are accepted as by the SDK", () => {
  expectTypeOf<sdk.Query>().toExtend<ours.Query>();
  expectTypeOf<sdk.Filter>().toExtend<ours.Filter>();
  expectTypeOf<sdk.SortBy>().toExtend<ours.SortBy>();
  type Request<Query> = Query extends { getQueryResults(request: infer One): unknown } ? One : never;
  expectTypeOf<Request<sdk.Flipside["query"]>>().toExtend<Request<ours.QueryIntegration>>();
  expectTypeOf<[string, string | undefined]>().toExtend<ConstructorParameters<typeof ours.Flipside>>();
});
