import { expectTypeOf, test } from "vitest";
import {
  type Client,
  type ColumnType,
  createClient,
  type ErrorKind,
  type GetQueryRunFailure,
  type GetQueryRunParams,
  type GetQueryRunResult,
  getQueryRun,
  isErrorOf,
  type MethodFunction,
  type PageFilter,
  QuernError,
  type QueryRunErrorData,
  type QueryRunNotFoundError,
  query,
  type RowSchema,
  readPage,
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

test("the code of a declared error narrows its data", () => {
  if (!isErrorOf(getQueryRun, error)) return;
  expectTypeOf(error.kind).toEqualTypeOf<"rpc">();
  switch (error.code) {
    case -32099:
      return expectTypeOf(error.data.queryRunId).toEqualTypeOf<string>();
    case -32029:
    case -32178:
      return expectTypeOf(error.data.retryAfterMs).toEqualTypeOf<number>();
    case -32602:
      return expectTypeOf(error.data.issues[0]?.pointer).toEqualTypeOf<string | undefined>();
    case -32163:
      return expectTypeOf(error.errorName).toEqualTypeOf<string | undefined>();
    default:
      return expectTypeOf(error).toEqualTypeOf<never>();
  }
});

test("the kind of an error narrows its members", () => {
  if (!(error instanceof QuernError)) return;
  expectTypeOf(error).toEqualTypeOf<QuernError>();
  expectTypeOf(error.requestId).toEqualTypeOf<string | undefined>();
  switch (error.kind) {
    case "failed":
      expectTypeOf(error.data).toEqualTypeOf<QueryRunErrorData | undefined>();
      expectTypeOf(error.data?.candidates).toEqualTypeOf<readonly string[] | undefined>();
      return expectTypeOf(error.queryRunId).toEqualTypeOf<string>();
    case "http":
      return expectTypeOf(error.status).toEqualTypeOf<number>();
    case "rpc":
    case "undeclared":
      expectTypeOf(error.data).toEqualTypeOf<unknown>();
      return expectTypeOf(error.code).toEqualTypeOf<number>();
    case "canceled":
      return expectTypeOf(error.queryRunId).toEqualTypeOf<string>();
    case "network":
    case "timeout":
    case "aborted":
    case "protocol":
      return expectTypeOf(error.code).toEqualTypeOf<number | undefined>();
    default:
      return expectTypeOf(error).toBeNever();
  }
});

test("the options of a result are checked", async () => {
  // @ts-expect-error: pages have no file formats
  void query(client, { sql: "select 1", format: "arrow" });
  // @ts-expect-error: a filter needs a comparison
  void readPage(client, "run", { filters: [{ column: "n" }] });
  // @ts-expect-error: undefined is not a comparison
  void readPage(client, "run", { filters: [{ column: "n", eq: undefined }] });
  const filters: PageFilter[] = [
    { column: "n", eq: null },
    { column: "n", gte: 1, lt: 9 },
    { column: "n", in: [1, 2] },
    {
      or: [
        { column: "n", lt: 1 },
        { column: "n", gt: 9 },
      ],
    },
  ];
  // @ts-expect-error: a group has no groups
  filters.push({ or: [{ or: [{ column: "n", lt: 1 }] }] });
  const { columnTypes, first } = await query(client, { sql: "select 1", filters, format: "json" });
  for (const type of [columnTypes[0], first.columnTypes[0], (await readPage(client, "run")).columnTypes[0]]) {
    expectTypeOf(type).toEqualTypeOf<ColumnType | undefined>();
    expectTypeOf<"string" | "number" | "date" | "object" | "array" | "boolean" | "unknown">().toExtend<typeof type>();
  }
});

test("a credential is a value or a function, and the platform's fetch carries requests", () => {
  void createClient({ url: "/quern", token: async () => "t", credentials: "include", headers: () => ({ "x-a": "b" }) });
  void createClient({ url: new URL("http://host"), apiKey: () => undefined, fetch: globalThis.fetch });
  // @ts-expect-error: a key is not a number
  void createClient({ url: "http://host", apiKey: 7 });
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

test("params, result and errors of a method have exported names, for declarations of other packages", () => {
  expectTypeOf(getQueryRun).toEqualTypeOf<MethodFunction<GetQueryRunParams, GetQueryRunResult, GetQueryRunFailure>>();
  expectTypeOf<QueryRunNotFoundError>().toExtend<GetQueryRunFailure>();
});

test("a method's params are checked", () => {
  // @ts-expect-error: the method has no member sql
  void getQueryRun(client, { sql: "select 1" });
  // @ts-expect-error: undefined is not an SQL value
  sql`select ${undefined}`;
});
