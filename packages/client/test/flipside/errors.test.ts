import { expect, it } from "vitest";
import { flipsideError, isQueryError } from "../../src/flipside/errors.ts";
import { type ErrorDetails, type ErrorKind, QuernError } from "../../src/wire/quern-error.ts";

it.each<[ErrorKind, ErrorDetails, string, boolean]>([
  ["rpc", { errorName: "QueryRunNotFound", code: -32099 }, "API_ERROR", true],
  ["undeclared", { code: -32603 }, "API_ERROR", true],
  ["failed", {}, "QUERY_RUN_EXECUTION_ERROR", true],
  ["canceled", {}, "QUERY_RUN_EXECUTION_ERROR", true],
  ["timeout", {}, "QUERY_RUN_TIMEOUT_ERROR", true],
  ["rpc", { code: -32029 }, "QUERY_RUN_RATE_LIMIT_ERROR", true],
  ["http", { status: 429 }, "QUERY_RUN_RATE_LIMIT_ERROR", true],
  ["http", { status: 401 }, "USER_ERROR", false],
  ["rpc", { status: 403, code: -32001 }, "USER_ERROR", false],
  ["http", { status: 404 }, "USER_ERROR", false],
  ["http", { status: 499 }, "USER_ERROR", false],
  ["http", { status: 500 }, "SERVER_ERROR", false],
  ["http", { status: 503 }, "SERVER_ERROR", false],
  ["network", {}, "UNEXPECTED_SDK_ERROR", false],
  ["protocol", {}, "UNEXPECTED_SDK_ERROR", false],
])("an error %s with %o is a %s", (kind, details, errorType, isOfQuery) => {
  const cause = new QuernError(kind, "it went wrong", { queryRunId: "run_1", data: { line: 1 }, ...details });
  const error = flipsideError(cause);
  const { code, status } = cause;
  const name = details.errorName ?? "Error";
  expect(error).toMatchObject({ errorType, name, cause, code, status, queryRunId: "run_1", data: { line: 1 } });
  expect(isQueryError(error)).toBe(isOfQuery);
});

it("says that a key is refused, and changes no error of another library", () => {
  const refused = flipsideError(new QuernError("http", "HTTP 401", { status: 401 }));
  expect(refused).toMatchObject({
    message: expect.stringMatching(/^Unauthorized: Invalid API Key\. .*HTTP 401$/),
    data: {},
  });
  const other = new TypeError("no");
  expect(flipsideError(other)).toBe(other);
});
