import { type ErrorDetails, type ErrorKind, QuernError } from "@quern/client";
import { describe, expect, it } from "vitest";
import { AuthError, aboutRun, NetworkError, StoppedError, UsageError } from "../../src/errors/cli-error.ts";
import { failureJson, failureLine, failureOf } from "../../src/errors/failure.ts";

describe("an exit code", () => {
  it.each<[ErrorKind, ErrorDetails, number]>([
    ["rpc", { errorName: "QueryRunNotFound" }, 8],
    ["rpc", { errorName: "InvalidParams" }, 2],
    ["rpc", { errorName: "AuthorizationError" }, 3],
    ["undeclared", { code: -32603 }, 1],
    ["http", { status: 502 }, 7],
    ["http", { status: 403 }, 3],
    ["network", {}, 7],
    ["timeout", {}, 6],
    ["aborted", {}, 130],
    ["failed", { errorName: "AuthorizationError" }, 4],
    ["canceled", {}, 5],
    ["protocol", {}, 1],
  ])("of %s %o is %i", (kind, details, exitCode) => {
    expect(failureOf(new QuernError(kind, "it went wrong", details)).exitCode).toBe(exitCode);
  });

  it("differs for mistakes of the user and bugs", () => {
    expect(failureOf(new UsageError("no")).exitCode).toBe(2);
    expect(failureOf(new AuthError("no")).exitCode).toBe(3);
    expect(failureOf(new StoppedError("timeout", "no", undefined)).exitCode).toBe(6);
    expect(failureOf(new StoppedError("SIGINT", "no", undefined)).exitCode).toBe(130);
    expect(failureOf(new StoppedError("SIGTERM", "no", undefined)).exitCode).toBe(143);
    expect(failureOf(new StoppedError("SIGHUP", "no", undefined)).exitCode).toBe(129);
    expect(failureOf(new TypeError("no")).exitCode).toBe(1);
    expect(failureOf("no").exitCode).toBe(1);
  });
});

it("of a file that the user may not access names the user of the service", () => {
  const denied = Object.assign(new Error("EACCES: permission denied, open '/data/audit.jsonl'"), {
    code: "EACCES",
    path: "/data/audit.jsonl",
  });
  const failure = failureOf(denied);
  expect(failure.exitCode).toBe(2);
  expect(failureLine(failure)).toBe(
    "quern: EACCES: permission denied, open '/data/audit.jsonl'; change its permissions, or run the command as the user that owns it, such as that of the service",
  );
});

describe("a failure", () => {
  const failure = failureOf(
    new QuernError("timeout", "stopped after\n  20 s.", { queryRunId: "run_1", cause: new Error("x-api-key: secret") }),
  );

  it("is one line", () => {
    expect(failureLine(failure)).toBe("quern: stopped after 20 s; allow more time with --timeout-seconds");
  });

  it("has no line ends around it", () => {
    expect(failureLine(failureOf(new UsageError("\n  no such file \n")))).toBe("quern: no such file");
    for (const message of [" it broke. ", "it broke!"])
      expect(failureLine({ ...failureOf(new Error(message)), hint: "try again" })).toBe("quern: it broke; try again");
  });

  it("names the run of a command that was stopped", () => {
    const stopped = failureOf(new StoppedError("SIGINT", "interrupted. The query of run run_1 is withdrawn.", "run_1"));
    expect(failureLine(stopped)).toBe("quern: interrupted. The query of run run_1 is withdrawn.");
    expect(JSON.parse(failureJson(stopped))).toMatchObject({ kind: "interrupted", exitCode: 130, queryRunId: "run_1" });
  });

  it("of the connection names the run and the command that goes on with it", () => {
    const error = aboutRun(new QuernError("network", "no answer: connect ECONNREFUSED"), "run_1");
    expect(failureLine(failureOf(error))).toBe(
      "quern: no answer: connect ECONNREFUSED; `quern result run_1` prints the result of the run once the service answers",
    );
  });

  it.each([
    ["failed", { candidates: ["horsepower", "hp"] }],
    ["rpc", { errorName: "BinderError", errorData: { candidates: ["horsepower", "hp"] } }],
  ] as const)("%s shows the names that the engine suggests", (kind, data) => {
    const failure = failureOf(new QuernError(kind, "there is no column horse (line 1, column 8)", { data }));
    expect(failureLine(failure)).toBe(
      "quern: there is no column horse (line 1, column 8); did you mean horsepower, hp?",
    );
  });

  it("shows them once where the engine's own words have them", () => {
    const message = 'Table with name car does not exist!\nDid you mean "cars"? (line 1, column 15)';
    const failure = failureOf(new QuernError("failed", message, { data: { candidates: ["cars"] } }));
    expect(failureLine(failure)).toBe(
      'quern: Table with name car does not exist! Did you mean "cars"? (line 1, column 15)',
    );
  });

  it("of the connection has no advice for programs", () => {
    const message =
      'getQueryRun: no answer: connect ECONNREFUSED; failing for 60000 ms; call resumeQuery(client, "run_1")';
    const failure = failureOf(new QuernError("network", message, { queryRunId: "run_1" }));
    expect(failure.message).toBe("getQueryRun: no answer: connect ECONNREFUSED; failing for 60000 ms");
    expect(failureLine(failure)).toContain("for 60000 ms; `quern result run_1` prints");
  });

  it.each([
    ["QueryRunNotFound", { queryRunId: "run_9" }, "check the id run_9; `quern runs list` prints the ids"],
    ["DataSourceNotFound", { data: { dataSource: "sampels" } }, "check the name of the data source: sampels"],
  ])("%s names what was not found", (errorName, details, advice) => {
    const failure = failureOf(
      new QuernError("rpc", `getQueryRun: it is not there (${errorName})`, { errorName, ...details }),
    );
    expect(failureLine(failure)).toBe(`quern: getQueryRun: it is not there (${errorName}); ${advice}`);
  });

  it("has the id by which the service's log knows the request", () => {
    const failure = failureOf(new QuernError("rpc", "it went wrong", { requestId: "r-1", status: 200 }));
    expect(JSON.parse(failureJson(failure))).toMatchObject({ requestId: "r-1", status: 200 });
  });

  it("is one JSON object for programs", () => {
    const json = failureJson(failure);
    expect(json).not.toMatch(/\n|secret/);
    expect(JSON.parse(json)).toMatchObject({
      kind: "timeout",
      exitCode: 6,
      queryRunId: "run_1",
      hint: expect.any(String),
    });
  });
});

describe("a failure as JSON", () => {
  it("has all details of the error of a service", () => {
    const details = {
      code: -32_011,
      errorName: "BinderError",
      data: { position: 7 },
      method: "createQueryRun",
      queryRunId: "run_1",
      status: 200,
      requestId: "r-1",
    };
    const failure = failureOf(new QuernError("rpc", "it went wrong", details));
    const message = "createQueryRun: it went wrong";
    expect(JSON.parse(failureJson(failure))).toEqual({ kind: "rpc", exitCode: 8, message, ...details });
  });

  it.each([
    [new UsageError("no"), { kind: "usage", exitCode: 2 }],
    [new AuthError("no"), { kind: "auth", exitCode: 3, hint: expect.stringMatching(/^set QUERN_API_KEY to a key/) }],
    [new NetworkError("no"), { kind: "network", exitCode: 7, hint: expect.stringMatching(/^check the address, or/) }],
    [
      new StoppedError("timeout", "no", "r"),
      { kind: "timeout", exitCode: 6, queryRunId: "r", hint: expect.any(String) },
    ],
    [new StoppedError("SIGHUP", "no", "r"), { kind: "interrupted", exitCode: 129, queryRunId: "r" }],
    [new Error("no"), { kind: "unexpected", exitCode: 1, hint: "set QUERN_DEBUG=1 to print the stack" }],
  ])("of %s has its kind, exit code and hint", (error, members) => {
    expect(JSON.parse(failureJson(failureOf(error)))).toEqual({ message: "no", ...members });
  });
});

describe("a hint", () => {
  it.each([
    ["EACCES without a file", Object.assign(new Error("no"), { code: "EACCES" })],
    ["a file that exists", Object.assign(new Error("no"), { code: "EEXIST", path: "/a" })],
    ["an error that only has the name of one of the service", Object.assign(new Error("no"), { name: "QuernError" })],
    [
      "a value with the members of one of the service",
      { name: "QuernError", kind: "http", toString: (): string => "no" },
    ],
  ])("for %s is that of an unexpected error", (_, error) => {
    expect(failureOf(error)).toEqual({
      exitCode: 1,
      kind: "unexpected",
      message: "no",
      hint: "set QUERN_DEBUG=1 to print the stack",
    });
  });

  it.each([
    ["rpc", { data: { candidates: [] } }],
    ["rpc", { data: { candidates: "a" } }],
    ["rpc", { data: { errorData: null } }],
    ["rpc", { errorName: "DataSourceNotFound", data: { dataSource: "" } }],
    ["rpc", { errorName: "QueryRunNotFound" }],
    ["rpc", { errorName: "QueryRunResultsExpired", queryRunId: "run_1", data: { dataSource: "samples" } }],
    ["failed", { queryRunId: "run_1" }],
  ] as const)("is absent for %s with %j", (kind, details) => {
    expect(failureOf(new QuernError(kind, "no", details))).not.toHaveProperty("hint");
  });

  it("of a failed connection without a run checks the address, also for an HTTP error", () => {
    const hint = "check the address in --url, QUERN_URL or the profile, or start a service with `quern serve`";
    for (const kind of ["network", "http"] as const)
      expect(failureOf(new QuernError(kind, "no"))).toMatchObject({ kind, exitCode: 7, hint });
  });
});
