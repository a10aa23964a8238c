import { createClient, query } from "@quern/client";
import { expect, it } from "vitest";
import { createLedger, createMockServer, type StatementMethod } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

/** Mock whose prices have a type outside the contract, and whose run has no user. */
async function violating() {
  const ledger = createLedger();
  const mock = createMockServer({ ledger, onError: (error) => expect.fail(String(error)) });
  mock.when(/./).rows([{ n: 1 }]);
  mock
    .when("select price")
    .rows([{ price: 1 }])
    .violateContract("getQueryRunResults", { columnTypes: ["money", 7], page: { totalRows: "many" } })
    .violateContract("createQueryRun", { queryRun: { userId: null } });
  const caller = callerOf(mock);
  const [queryRunId, other] = [
    await caller.create("SELECT price", { waitSeconds: 1 }),
    await caller.create("select 1"),
  ];
  await caller.poll(other);
  const [changed, unchanged] = [
    await caller.call("getQueryRunResults", { queryRunId }),
    await caller.call("getQueryRunResults", { queryRunId: other }),
  ];
  return { mock, ledger, caller, queryRunId, changed, unchanged };
}

it("a contract violation replaces members of the results about its statements, at any depth", async () => {
  const { changed, unchanged } = await violating();
  expect(changed).toMatchObject({
    rows: [[1]],
    columnNames: ["price"],
    columnTypes: ["money", 7],
    page: { totalRows: "many", currentPageNumber: 1 },
  });
  expect(unchanged).toMatchObject({ columnTypes: ["number"], page: { totalRows: 1 } });
});

it("a contract violation is in the history with its stub, and not in the ledger", async () => {
  const { mock, ledger, queryRunId, changed } = await violating();
  expect(mock.history.callsOf("getQueryRunResults", { queryRunId })).toMatchObject([{ result: changed }]);
  expect(mock.history.contractViolations()).toEqual([
    'createQueryRun({"sql":"SELECT price","waitSeconds":1}) by when("select price")',
    `getQueryRunResults({"queryRunId":"${queryRunId}"}) by when("select price")`,
  ]);
  expect(JSON.stringify(ledger.ledger())).not.toMatch(/money|many/);
  mock.history.clear();
  expect(mock.history.contractViolations()).toEqual([]);
});

it("a contract violation changes its own result in a batch, and no error", async () => {
  const { mock, caller, queryRunId } = await violating();
  mock.history.clear();
  const polls = [{ queryRunId }, { queryRunId: "none" }, { queryRunId, page: { number: 9 } }];
  const replies = await caller.sendAll("getQueryRunResults", polls);
  expect(replies).toMatchObject([
    { id: 0, result: { columnTypes: ["money", 7] } },
    { id: 1, error: { code: -32099 } },
    { id: 2, result: { columnTypes: ["money", 7] } },
  ]);
  expect(mock.history.contractViolations().length).toBe(2);
});

it("a call without params is answered as without contract violations", async () => {
  const { caller } = await violating();
  for (const params of [{}, { params: [] }]) {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "rpc.discover", ...params });
    const reply = await caller.send("rpc.discover", {}, { body });
    expect(await reply.json()).toMatchObject({ result: { openrpc: expect.any(String) } });
  }
});

it("a contract violation changes a description, as the conditions of its stub say", async () => {
  const mock = createMockServer();
  mock.when({ sql: "select 1", dataSource: "other" }).violateContract("describeQuery", { columns: 7 });
  mock.when("select 2").violateContract("getQueryRun", { queryRun: { state: 7 } });
  const { call } = callerOf(mock);
  const source = { dataSource: "other", dataProvider: "quern" };
  expect(await call("describeQuery", { sql: "select 1", ...source })).toMatchObject({ columns: 7 });
  expect(await call("describeQuery", { sql: "select 1" })).not.toMatchObject({ columns: 7 });
  expect((await call("describeQuery", { sql: "select 2" })).columns).toEqual(expect.any(Array));
  expect(mock.history.contractViolations()).toEqual([
    expect.stringMatching(
      /^describeQuery\(\{"sql":"select 1",.*\}\) by when\(\{"sql":"select 1","dataSource":"other"\}\)$/,
    ),
  ]);
});

it("a call that withdraws a key is changed if it finds a run", async () => {
  const mock = createMockServer({ onError: (error) => expect.fail(String(error)) });
  mock
    .when("select 1")
    .after("60s")
    .violateContract("cancelQueryRun" as StatementMethod, { queryRun: { state: 7 } });
  const { call, create } = callerOf(mock);
  expect(await call("cancelQueryRun", { idempotencyKey: "none" })).toEqual({ canceledQueryRun: null, queryRun: null });
  const id = await create("select 1", { idempotencyKey: "k" });
  expect(await call("cancelQueryRun", { idempotencyKey: "k" })).toMatchObject({
    queryRun: { id, state: 7 },
    canceledQueryRun: { id, state: "QUERY_STATE_CANCELED" },
  });
});

it("a notification and a call with an unknown key are answered as without contract violations", async () => {
  const { mock, caller, queryRunId } = await violating();
  mock.history.clear();
  const notification = { jsonrpc: "2.0", method: "getQueryRunResults", params: [{ queryRunId }] };
  const reply = await caller.send("getQueryRunResults", {}, { body: JSON.stringify(notification) });
  expect([reply.ok, await reply.text()]).toEqual([true, ""]);
  const headers = { "content-type": "application/json", "x-api-key": "unknown" };
  const refused = await caller.send("getQueryRunResults", { queryRunId }, { headers });
  expect(refused.ok).toBe(false);
  expect(mock.history.contractViolations()).toEqual([]);
});

it("a batch of one call with a contract violation is answered by a batch", async () => {
  const { caller, queryRunId } = await violating();
  expect(await caller.sendAll("getQueryRunResults", [{ queryRunId }])).toMatchObject([
    { id: 0, result: { columnTypes: ["money", 7] } },
  ]);
});

it("our client refuses a contract violation", async () => {
  const mock = createMockServer();
  mock.when("select 1").violateContract("getQueryRunResults", { columnNames: 7 });
  await expect(query(createClient(mock), { sql: "select 1" })).rejects.toThrow();
  mock.reset();
  expect((await query(createClient(mock), { sql: "select 1" })).columnNames.length).toBeGreaterThan(0);
});

it("a matcher that throws fails the run, without a contract violation", async () => {
  const mock = createMockServer();
  mock.when("select 1").violateContract("getQueryRun", { queryRun: { state: 7 } });
  mock.when(() => {
    throw new RangeError("no such thing");
  });
  const { create, call } = callerOf(mock);
  const { queryRun } = await call("getQueryRun", { queryRunId: await create("select 1") });
  expect(queryRun).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "RangeError" });
});

it("an unknown method and an override that is not an object are refused", () => {
  const stub = createMockServer().when("select 1");
  expect(() => stub.violateContract("getRun" as StatementMethod, {})).toThrow(/unknown method "getRun".*getQueryRun,/);
  // @ts-expect-error its calls are about no statement
  stub.violateContract("listQueryRuns", {});
  expect(() => stub.violateContract("getRun" as StatementMethod, {})).toThrow(TypeError);
  expect(() => stub.violateContract("getQueryRuns" as StatementMethod, {})).toThrow(
    /^violateContract: unknown method "getQueryRuns"; did you mean getQueryRun\?$/,
  );
  expect(() => stub.violateContract("toString" as StatementMethod, {})).toThrow(/^violateContract: unknown method/);
  const refused: [unknown, string][] = [
    [null, "null"],
    [[], "[]"],
    ["x", '"x"'],
    [undefined, "undefined"],
    [7, "7"],
  ];
  for (const [override, text] of refused) {
    const violate = () => stub.violateContract("getQueryRun", override as never);
    expect(violate).toThrow(TypeError);
    expect(violate).toThrow(`violateContract: expected an object of members to replace, got ${text}`);
  }
});
