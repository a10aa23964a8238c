import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { oneProcessKind } from "../../duckdb/test/executor/one-process.ts";
import { startServer, type TestServer } from "./fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

describe("a statement that is wrong", () => {
  it.each([
    ["an unknown column", "select\n  nope\nfrom range(3)", "BinderError", { line: 2, column: 3, position: 9 }],
    ["an unknown table", "select * from nowhere", "CatalogError", { line: 1, column: 15 }],
    ["wrong grammar", "selec 1", "ParserError", { line: 1, column: 1, position: 0 }],
    ["characters beyond ASCII before the fault", "select '日本', nope", "BinderError", { line: 1, column: 14 }],
    ["a value that cannot be converted", "select cast(x as int) from (values ('a')) t(x)", "ConversionError", {}],
  ])("says where %s is", async (_, sql, errorName, place) => {
    const run = await server.run(sql);
    expect(run).toMatchObject({
      state: "QUERY_STATE_FAILED",
      errorName,
      errorData: { category: "USER", engine: "duckdb", retryable: false, ...place },
    });
    if ("line" in place) expect(run.errorMessage).toContain(`(line ${place.line}, column ${place.column})`);
    expect(run.endedAt).not.toBeNull();
  });

  it("suggests the nearest names", async () => {
    const { errorData } = await server.run("select nam from (select 1 as name)");
    expect(errorData?.candidates).toEqual(["name"]);
  });
});

describe("a statement that does not read tables", () => {
  it.each([["insert into t values (1)"], ["select * from read_csv('/etc/passwd')"], ["from '/etc/passwd'"]])(
    "fails: %s",
    async (sql) => {
      const run = await server.run(sql);
      expect(run).toMatchObject({ state: "QUERY_STATE_FAILED", errorData: { category: "USER" } });
    },
  );
});

describe("a statement that takes too much", () => {
  it("ends without harm to the server or to the next statement", async () => {
    await using strained = await startServer();
    const run = await strained.run("select length(repeat('x', 4000000000))");
    expect(run).toMatchObject({ state: "QUERY_STATE_FAILED", errorData: { category: "RESOURCE" } });
    expect(await strained.rows("select 42")).toEqual([[42]]);
  });
});

it("a source whose data is gone fails its runs, not the server", async () => {
  await using broken = await startServer({
    sources: [{ name: "gone", provider: "test", path: "/nowhere/at-all/gone.duckdb" }],
  });
  const run = await broken.run("select 1");
  expect(run).toMatchObject({
    state: "QUERY_STATE_FAILED",
    errorName: "IOError",
    errorData: { category: "DATA_SOURCE" },
  });
  expect(run.errorMessage).not.toContain("nowhere");
});
