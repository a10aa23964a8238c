import { EngineLostError } from "@quern/adapter";
import type { DescribeQueryResult } from "@quern/protocol/types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneProcessKind } from "../../../duckdb/test/executor/one-process.ts";
import { createGate, eventually, idleKind, startServer, type TestServer } from "../fixture.ts";

let server: TestServer;
beforeAll(async () => {
  server = await startServer({ kind: await oneProcessKind() });
});
afterAll(() => server[Symbol.asyncDispose]());

const describeQuery = (sql: string) => server.call<DescribeQueryResult>("describeQuery", { sql });

it("returns the columns, and starts no run", async () => {
  const { columns, parameters } = await describeQuery(
    "select 1.5::decimal(18,3) as \"Price\", 'x' as a, 'y' as a, [1] as l",
  );
  expect(columns).toEqual([
    { name: "price", type: "number", engineType: "DECIMAL(18,3)", nullable: true },
    { name: "a", type: "string", engineType: "VARCHAR", nullable: true },
    { name: "a", type: "string", engineType: "VARCHAR", nullable: true },
    { name: "l", type: "array", engineType: "INTEGER[]", nullable: true },
  ]);
  expect(parameters).toEqual([]);
  expect(await server.call("listQueryRuns", {})).toEqual({ queryRuns: [], nextCursor: null });
});

it("returns the parameters, and their types if they are known", async () => {
  const described = await describeQuery("select name, $factor as f from (select 'x' as name) where name = $name");
  expect(described.parameters).toEqual(
    expect.arrayContaining([
      { name: "name", type: "VARCHAR" },
      { name: "factor", type: null },
    ]),
  );
  expect(described.columns.map(({ name }) => name)).toEqual(["name", "f"]);
});

it("executes nothing", async () => {
  // Executed, it would take years.
  const { columns } = await describeQuery(
    "select count(*) as n from range(1000000000) a, range(1000000000) b where a.range <> b.range and a.range > $1",
  );
  expect(columns).toMatchObject([{ name: "n" }]);
});

it("returns the error of an invalid statement", async () => {
  await expect(describeQuery("select\nnope from (select 1 as n)")).rejects.toMatchObject({
    code: -32173,
    data: { errorName: "BinderError", errorData: { category: "USER", line: 2, column: 1, candidates: ["n"] } },
  });
  await expect(describeQuery("drop table x")).rejects.toMatchObject({
    code: -32173,
    data: { errorName: "StatementNotAllowed" },
  });
  await expect(server.call("describeQuery", { sql: "select 1", dataSource: "x" })).rejects.toMatchObject({
    code: -32164,
  });
});

it("prepares as many at once as runs may execute, and fails calls that wait too long", async () => {
  const gate = createGate();
  let most = 0;
  const kind = {
    ...idleKind,
    describe: async (_: unknown, signal: AbortSignal) => {
      const passed = gate.pass(signal);
      most = Math.max(most, gate.waiting);
      await passed;
      return { columns: [], parameters: [] };
    },
  };
  await using busy = await startServer({ kind, limits: { maxRunningRuns: 2, describeTimeoutSeconds: 60 } });
  const call = { method: "describeQuery", params: { sql: "select 1" } };
  const answers = busy.batch(Array(12).fill(call));
  await eventually(() => gate.waiting === 2);
  gate.open();
  expect(await answers).toHaveLength(12);
  expect(most).toBe(2);

  const closed = { ...kind, describe: (_: unknown, signal: AbortSignal) => createGate().pass(signal) as never };
  await using slow = await startServer({
    kind: closed,
    limits: { maxRunningRuns: 1, describeTimeoutSeconds: 0.01 },
  });
  const late = await Promise.allSettled([call, call].map(({ method, params }) => slow.call(method, params)));
  const outOfTime = { code: -32173, data: { errorName: "EngineLost" } };
  expect(late).toMatchObject([{ reason: outOfTime }, { reason: outOfTime }]);
});

it("is asked once more if the engine is lost, and fails if it is lost again", async () => {
  let losses = 1;
  let asked = 0;
  const kind = {
    ...idleKind,
    describe: async () => {
      asked += 1;
      if (asked <= losses) throw new EngineLostError("the process was ended by SIGKILL");
      return { columns: [], parameters: [] };
    },
  };
  await using lost = await startServer({ kind });
  const describe = () => lost.call("describeQuery", { sql: "select 1" });
  expect([await describe(), asked]).toEqual([{ columns: [], parameters: [] }, 2]);
  [losses, asked] = [2, 0];
  await expect(describe()).rejects.toMatchObject({ code: -32173, data: { errorName: "EngineLost" } });
  expect(asked).toBe(2);
});
