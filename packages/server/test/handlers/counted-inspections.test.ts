import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, it } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { startServer } from "../fixture.ts";
import { caller } from "../identity/callers.ts";

const engine = oneProcessOfFile();

const pivot = "pivot (select 'Ann Smith' as name, 1 as n) on name using sum(n)";

it("names no column after a value of a row for a key without the scope read", async () => {
  await using server = await startServer({ kind: engine() });
  const runner = await caller(server, { scopes: ["run"] });
  const reader = await caller(server, { scopes: ["run", "read"] });
  for (const sql of [pivot, `from (${pivot})`, `with p as (${pivot}) select * from p`]) {
    const refused = await runner.call("describeQuery", { sql });
    expect(refused).toMatchObject({ error: { code: -32173, data: { errorName: "AuthorizationError" } } });
    expect(JSON.stringify(refused)).toContain("write the values into the statement");
    const ran = await runner.call("createQueryRun", { sql, waitSeconds: 20 });
    expect(ran).toMatchObject({ result: { queryRun: { state: "QUERY_STATE_SUCCESS" } } });
    for (const answer of [refused, ran])
      expect(JSON.stringify(answer).replaceAll(JSON.stringify(sql), "")).not.toContain("Ann Smith");
    expect(await reader.call("describeQuery", { sql })).toMatchObject({ result: { columns: [{ name: "ann smith" }] } });
  }
  const listed = pivot.replace("on name", "on name in ('Ann Smith')");
  expect(await runner.call("describeQuery", { sql: listed })).toMatchObject({ result: { columns: [{}] } });
  expect(await runner.call("describeQuery", { sql: `explain ${pivot}` })).toMatchObject({
    result: { columns: [{}, {}] },
  });
});

it("counts calls that inspect a source against the budget, refuses them without one, and audits each", async () => {
  const kind = engine();
  const slow = async () => {
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    return [];
  };
  await using server = await startServer({ kind: { ...kind, tables: slow }, limits: { monthlyExecSeconds: 1 } });
  const calls = [
    ["listTables", {}],
    ["describeQuery", { sql: "select 1" }],
    ["completeSql", { sql: "sel" }],
  ] as const;
  await server.call("listTables", {});
  for (const [method, params] of calls)
    await expect(server.call(method, params)).rejects.toMatchObject({ code: -32175 });
  await expect(server.create({ sql: "select 1" })).rejects.toMatchObject({ code: -32175 });
  const lines = (await readFile(join(server.dataDir, "audit.jsonl"), "utf8")).trim().split("\n");
  const actions = lines.map((line) => JSON.parse(line).action);
  const ofCalls = ["tables.list", "query.describe", "query.complete"];
  expect(actions.filter((action) => ofCalls.includes(action))).toEqual(["tables.list", ...ofCalls]);
});

it("refuses parameters above the limit", async () => {
  await using server = await startServer({ kind: engine(), limits: { maxParameterBytes: 100 } });
  const run = (length: number) => server.run("select $1 as text", { parameters: ["x".repeat(length)] });
  expect((await run(96)).state).toBe("QUERY_STATE_SUCCESS");
  await expect(run(97)).rejects.toMatchObject({
    code: -32602,
    data: {
      issues: [{ pointer: "/params/0/parameters", expected: "at most 100 bytes of JSON", received: "101 bytes" }],
    },
  });
});
