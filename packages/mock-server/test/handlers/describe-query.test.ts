import { expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

it("returns columns and parameters without creating a run", async () => {
  const mock = createMockServer();
  mock.when(/from cars/).rows([{ name: "fiat 128", year: 1972 }]);
  const { call } = callerOf(mock);
  expect(
    await call("describeQuery", {
      sql: "select name, year from cars where origin = $origin and name <> '$no' and year > $1",
    }),
  ).toEqual({
    columns: [
      { name: "name", type: "string", engineType: "VARCHAR", nullable: true },
      { name: "year", type: "number", engineType: "DOUBLE", nullable: true },
    ],
    parameters: [
      { name: "origin", type: null },
      { name: "1", type: null },
    ],
  });
  expect((await call("listQueryRuns", {})).queryRuns).toEqual([]);
});

it("matches stubs without their tags and parameters", async () => {
  const mock = createMockServer({ strict: true });
  mock.when({ sql: "select ?", parameters: [7], tags: { env: "test" } }).rows([{ n: 7 }]);
  const { columns } = await callerOf(mock).call("describeQuery", { sql: "select ?" });
  expect(columns).toMatchObject([{ name: "n", type: "number" }]);
  expect(mock.history.unexpected()).toEqual([]);
});

it("refuses a statement whose run would fail", async () => {
  const mock = createMockServer();
  mock.when(/colour/).fails({ errorName: "BinderError", errorMessage: "no such column" });
  const error = await callerOf(mock).failure("describeQuery", { sql: "select colour" });
  expect(error).toMatchObject({
    code: -32173,
    data: { errorName: "BinderError", errorMessage: "no such column", errorData: { category: "USER" } },
  });
});

it("refuses a text without a statement", async () => {
  expect(await callerOf(createMockServer()).failure("describeQuery", { sql: " \n" })).toMatchObject({
    code: -32602,
    data: { issues: [{ pointer: "/params/0/sql", expected: "a SQL statement" }] },
  });
});
