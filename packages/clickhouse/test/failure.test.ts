import { EngineLostError, StatementError } from "@quern/adapter";
import { expect, it } from "vitest";
import { queryFailure } from "../src/failure.ts";

const textOf = (type: string, message = "m"): string => `Code: 1. DB::Exception: ${message}. (${type})`;

it.each([
  "MEMORY_LIMIT_EXCEEDED",
  "TIMEOUT_EXCEEDED",
  "TOO_SLOW",
  "TOO_MANY_ROWS",
  "TOO_MANY_BYTES",
  "QUOTA_EXCEEDED",
  "TOO_MANY_SIMULTANEOUS_QUERIES",
  "NOT_ENOUGH_SPACE",
  "CANNOT_ALLOCATE_MEMORY",
])("%s is a lack of resources", (type) => {
  expect(queryFailure(textOf(type), "s")).toMatchObject({
    failure: { data: { category: "RESOURCE", retryable: true } },
  });
});

it.each([
  "NETWORK_ERROR",
  "SOCKET_TIMEOUT",
  "ALL_CONNECTION_TRIES_FAILED",
  "ALL_REPLICAS_ARE_STALE",
  "DNS_ERROR",
  "LOGICAL_ERROR",
  "STD_EXCEPTION",
  "POCO_EXCEPTION",
  "UNKNOWN_EXCEPTION",
  "KEEPER_EXCEPTION",
  "S3_ERROR",
  "CORRUPTED_DATA",
  "CHECKSUM_DOESNT_MATCH",
  "UNKNOWN_DATABASE",
  "QUERY_WAS_CANCELLED",
  "NO_ZOOKEEPER",
  "UNKNOWN_SETTING",
])("%s is a fault of the data source", (type) => {
  expect(queryFailure(textOf(type), "s")).toMatchObject({
    failure: { data: { category: "DATA_SOURCE", retryable: true } },
  });
});

it.each(["AUTHENTICATION_FAILED", "REQUIRED_PASSWORD", "WRONG_PASSWORD", "UNKNOWN_USER"])(
  "%s is a refusal of the user of the data source",
  (type) => {
    expect(queryFailure(textOf(type), "events")).toMatchObject({
      failure: {
        name: "DataSourceUnauthorized",
        message: "ClickHouse refused the user or password of the data source events; correct them.",
        data: { category: "DATA_SOURCE", engine: "clickhouse", retryable: false },
      },
    });
  },
);

it.each(["ABORTED", "QUERY_WITH_SAME_ID_IS_ALREADY_RUNNING"])("%s is a lost engine", (type) => {
  const lost = queryFailure(textOf(type), "s");
  expect(lost).toBeInstanceOf(EngineLostError);
  expect(lost?.message).toBe(`ClickHouse ended the query: ${type}.`);
});

it("reports an error of the statement with its place", () => {
  const failure = queryFailure(textOf("SYNTAX_ERROR", "no table (line 12, col 34): x. Expected"), "s");
  expect(failure).toBeInstanceOf(StatementError);
  expect(failure).toMatchObject({
    failure: {
      name: "SyntaxError",
      data: { category: "USER", engine: "clickhouse", line: 12, column: 34, retryable: false },
    },
  });
  // Texts of functions, which can have values of rows.
  const data = { category: "USER", engine: "clickhouse", retryable: false };
  for (const [type, text] of [
    ["FUNCTION_THROW_IF_VALUE_IS_NON_ZERO", "a (line 1, col 4711): while executing 'FUNCTION throwIf(1)'"],
    ["SYNTAX_ERROR", "a (line 4711, col 1): b. Expected one of: c: In scope SELECT formatQuery('a')"],
    ["SYNTAX_ERROR", "a (line 4711, col 1): b. Expected one of: c: while executing 'FUNCTION formatQuery(a)'"],
  ] as const)
    expect(queryFailure(textOf(type, text), "s")).toHaveProperty("failure.data", data);
  const placeless = queryFailure(textOf("A_2B_ERROR"), "s");
  expect(placeless).toMatchObject({ failure: { name: "A2bError" } });
  expect(placeless instanceof StatementError && placeless.failure.data).toEqual({
    category: "USER",
    engine: "clickhouse",
    retryable: false,
  });
});

it("names limits of the result and refused writes, and settings that the user may not change", () => {
  expect(queryFailure(textOf("TOO_MANY_ROWS_OR_BYTES"), "s")).toMatchObject({
    failure: { name: "ResultTooLarge", data: { category: "RESOURCE", retryable: false } },
  });
  expect(queryFailure(textOf("READONLY", "Cannot execute query"), "s")).toMatchObject({
    failure: { name: "StatementNotAllowed", data: { category: "USER" } },
  });
  expect(queryFailure(textOf("READONLY", "Cannot modify 'max_rows' setting in readonly mode"), "s")).toMatchObject({
    failure: { name: "DataSourceRefused", data: { category: "DATA_SOURCE" } },
  });
});

it("knows no other text", () => expect(queryFailure("<html>", "s")).toBeUndefined());
