import { StatementError } from "@quern/adapter";
import { expect, it } from "vitest";
import { engineFailure, hidePaths, onEngine } from "../../src/executor/engine-error.ts";

const report = (members: object) =>
  new Error(`Parser Error: ${JSON.stringify({ exception_type: "Binder", ...members })}`);

it("reports the position in UTF-16 code units and the column in characters, although the engine counts bytes", () => {
  const sql = "select 'é😀',\n  nope";
  const position = String(Buffer.byteLength("select 'é😀',\n  "));
  expect(engineFailure(report({ exception_message: "no such column", position }), sql)).toEqual({
    name: "BinderError",
    message: "no such column (line 2, column 3)",
    data: { category: "USER", engine: "duckdb", position: sql.indexOf("nope"), line: 2, column: 3, retryable: false },
  });
});

it("counts from the start of the statement in the text that ran", () => {
  const { data } = engineFailure(report({ exception_message: "x", position: "17" }), "select nope", 10);
  expect(data).toMatchObject({ position: 7, line: 1, column: 8 });
  // A position outside the statement is not reported.
  expect(engineFailure(report({ exception_message: "x", position: "3" }), "select nope", 10).message).toBe("x");
});

it("returns the candidates of a qualified column, which the engine has in the message only", () => {
  const message = 'Table "f" does not have a column named "dly"\n\nCandidate bindings: : "delay", "a ""b"""';
  const failure = engineFailure(report({ exception_message: message }), "");
  expect(failure.message).toBe('Table "f" does not have a column named "dly"');
  expect(failure.data.candidates).toEqual(["delay", 'a "b"']);
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

it.each([
  ["0", { position: 0, line: 1, column: 1 }],
  ["6", { position: 6, line: 1, column: 7 }],
  ["7", { position: 7, line: 2, column: 1 }],
  ["11", { position: 11, line: 2, column: 5 }],
  ["12", {}],
  ["-1", {}],
  ["1.5", {}],
  [undefined, {}],
])("reports the place of the position %s", (position, place) => {
  const { data } = engineFailure(report({ exception_message: "x", position }), "select\nnope");
  expect(data).toEqual({ category: "USER", engine: "duckdb", ...place, retryable: false });
});

it("returns no candidates if the engine has none", () => {
  const { data } = engineFailure(report({ exception_message: "x", candidates: "" }), "");
  expect(data).toEqual({ category: "USER", engine: "duckdb", retryable: false });
});

it("reports JSON without its members as an error of the engine", () => {
  const text = '{"exception_type":7,"exception_message":8}';
  expect(engineFailure(new Error(text), "")).toMatchObject({ name: "EngineError", message: text });
  const complete = '{"exception_type":"IO","exception_message":"x"}';
  expect(engineFailure(new Error(complete), "")).toMatchObject({ name: "IOError", message: "x" });
});

it.each([
  ["Out of Memory", "OutOfMemoryError", "RESOURCE", true],
  ["IO", "IOError", "DATA_SOURCE", true],
  ["Fatal", "FatalError", "INTERNAL", true],
  ["INTERNAL", "InternalError", "INTERNAL", true],
  ["not implemented", "NotImplementedError", "USER", false],
  ["Binder", "BinderError", "USER", false],
])("names an error of the type %s %s", (type, name, category, retryable) => {
  expect(engineFailure(new Error(`${type} Error: two\nlines`), "")).toEqual({
    name,
    message: "two\nlines",
    data: { category, engine: "duckdb", retryable },
  });
});

it("reads the type of an error at the start of a text only, with at most 40 characters", () => {
  const typeOf = (text: string) => engineFailure(text, "").name;
  expect(typeOf(`${"x".repeat(40)} Error: y`)).toBe(`X${"x".repeat(39)}Error`);
  expect(typeOf(`${"x".repeat(41)} Error: y`)).toBe("EngineError");
  expect(engineFailure("a Error: b Error: c", "").message).toBe("b Error: c");
});

it("keeps a failure of a step, and converts an error of the engine", async () => {
  const failure = new StatementError({ name: "Own", message: "x", data: { category: "USER" } });
  await expect(onEngine("", () => Promise.reject(failure))).rejects.toBe(failure);
  const position = report({ exception_message: "x", position: "5" });
  await expect(onEngine("select 1", () => Promise.reject(position))).rejects.toMatchObject({
    failure: { name: "BinderError", data: { position: 5 } },
  });
  await expect(onEngine("select 1", () => Promise.reject(position), 2)).rejects.toMatchObject({
    failure: { data: { position: 3 } },
  });
  await expect(onEngine("", async () => 7)).resolves.toBe(7);
});

it("hides a path up to the next space or quote, at each place", () => {
  expect(hidePaths("'/w/a' \"/w/b\" /w/c /w x/w", ["/w"])).toBe("'<path>' \"<path>\" <path> <path> x<path>");
  expect(hidePaths("/w", [])).toBe("/w");
});
