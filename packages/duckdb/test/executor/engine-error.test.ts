import { expect, it } from "vitest";
import { engineFailure, hidePaths } from "../../src/executor/engine-error.ts";

const report = (members: object) =>
  new Error(`Parser Error: ${JSON.stringify({ exception_type: "Binder", ...members })}`);

it("reports line and column in characters, although the engine counts bytes", () => {
  const sql = "select 'é😀',\n  nope";
  const position = String(Buffer.byteLength("select 'é😀',\n  "));
  expect(engineFailure(report({ exception_message: "no such column", position }), sql)).toEqual({
    name: "BinderError",
    message: "no such column (line 2, column 3)",
    data: { category: "USER", engine: "duckdb", position: 15, line: 2, column: 3, retryable: false },
  });
});

it("counts from the start of the statement in the text that ran", () => {
  const { data } = engineFailure(report({ exception_message: "x", position: "17" }), "select nope", 10);
  expect(data).toMatchObject({ position: 7, line: 1, column: 8 });
  // A place outside the statement is none of the caller's.
  expect(engineFailure(report({ exception_message: "x", position: "3" }), "select nope", 10).message).toBe("x");
});

it("returns candidates as a list, and not in the message too", () => {
  const failure = engineFailure(
    report({ exception_message: 'not found\nCandidate bindings: "a", "b"', candidates: "a,b" }),
    "",
  );
  expect(failure).toMatchObject({ message: "not found", data: { candidates: ["a", "b"] } });
});

it("sets the category of the failure", () => {
  const failureOf = (type: string) => engineFailure(report({ exception_type: type, exception_message: "x" }), "");
  expect(failureOf("Out of Memory")).toMatchObject({
    name: "OutOfMemoryError",
    data: { category: "RESOURCE", retryable: true },
  });
  expect(failureOf("IO").data.category).toBe("DATA_SOURCE");
  expect(failureOf("INTERNAL")).toMatchObject({ name: "InternalError", data: { category: "INTERNAL" } });
  expect(engineFailure(new Error("Catalog Error: no such table"), "")).toMatchObject({
    name: "CatalogError",
    message: "no such table",
  });
  expect(engineFailure("odd", "")).toMatchObject({ name: "EngineError", message: "odd" });
});

it("hides paths of the service, and no other text", () => {
  const hidden = (message: string) =>
    hidePaths(engineFailure(new Error(message), "").message, ["/srv/quern/work/7", "/data/samples.duckdb"]);
  expect(hidden('IO Error: Cannot open file "/srv/quern/work/7/x.parquet": gone')).toBe(
    'Cannot open file "<path>": gone',
  );
  expect(hidden("IO Error: /data/samples.duckdb.wal and /srv/quern/work/7 are gone")).toBe(
    "<path> and <path> are gone",
  );
  const own = "Could not convert string '/api/v1/users' to INT32";
  expect(hidden(`Conversion Error: ${own}`)).toBe(own);
});
