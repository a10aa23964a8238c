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
  for (const override of [null, [], "x"])
    expect(() => stub.violateContract("getQueryRun", override as never)).toThrow(TypeError);
});
