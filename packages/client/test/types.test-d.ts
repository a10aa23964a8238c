import { expectTypeOf, test } from "vitest";
import {
  type Client,
  type ErrorKind,
  type GetQueryRunFailure,
  type GetQueryRunParams,
  type GetQueryRunResult,
  getQueryRun,
  isErrorOf,
  type MethodFunction,
  type QueryRunNotFoundError,
  query,
  type RowSchema,
  rowsOf,
  sql,
  type UntypedRow,
} from "../src/index.ts";

declare const client: Client;
declare const error: unknown;

test("rows have the type of their schema, or the one the caller names", async () => {
  const schema: RowSchema<{ n: number }> = { "~standard": { validate: () => ({ value: { n: 1 } }) } };
  const result = await query(client, sql`select ${1} as n`);
  for await (const row of rowsOf(result, { schema })) expectTypeOf(row).toEqualTypeOf<{ n: number }>();
  for await (const row of rowsOf<{ n: bigint }>(result)) expectTypeOf(row).toEqualTypeOf<{ n: bigint }>();
  for await (const row of rowsOf(result)) expectTypeOf(row).toEqualTypeOf<UntypedRow>();
});

test("a declared error is told apart by its code, and its data follows", () => {
  if (!isErrorOf(getQueryRun, error)) return;
  expectTypeOf(error.kind).toEqualTypeOf<"rpc">();
  switch (error.code) {
    case -32099:
      return expectTypeOf(error.data.queryRunId).toEqualTypeOf<string>();
    case -32029:
      return expectTypeOf(error.data.retryAfterMs).toEqualTypeOf<number>();
    case -32602:
      return expectTypeOf(error.data.issues[0]?.pointer).toEqualTypeOf<string | undefined>();
    case -32163:
      return expectTypeOf(error.errorName).toEqualTypeOf<string | undefined>();
    default:
      return expectTypeOf(error).toEqualTypeOf<never>();
  }
});

test("a switch over the kinds can be exhaustive", () => {
  const hint = (kind: ErrorKind): string => {
    switch (kind) {
      case "rpc":
      case "undeclared":
      case "http":
      case "protocol":
        return "the service";
      case "network":
      case "timeout":
        return "the way";
      case "aborted":
      case "canceled":
      case "failed":
        return "the run";
    }
  };
  expectTypeOf(hint).returns.toEqualTypeOf<string>();
});

test("what a method takes, gives and fails with has a name, so that declarations of packages that use it can say it", () => {
  expectTypeOf(getQueryRun).toEqualTypeOf<MethodFunction<GetQueryRunParams, GetQueryRunResult, GetQueryRunFailure>>();
  expectTypeOf<QueryRunNotFoundError>().toExtend<GetQueryRunFailure>();
});

test("a method's params are checked", () => {
  // @ts-expect-error: sql has no place here
  void getQueryRun(client, { sql: "select 1" });
  // @ts-expect-error: undefined is no SQL value
  sql`select ${undefined}`;
});
