import { createClient, query } from "@quern/client";
import { expect, it } from "vitest";
import { createLedger, createMockServer, type UnsafeMethod } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

/** A mock in which prices are of a type that the contract does not have, and of which it does not say who asked. */
async function lying() {
  const ledger = createLedger();
  const mock = createMockServer({ ledger, onError: (error) => expect.fail(String(error)) });
  mock.when(/./).rows([{ n: 1 }]);
  mock
    .when("select price")
    .rows([{ price: 1 }])
    .unsafe("getQueryRunResults", { columnTypes: ["money", 7], page: { totalRows: "many" } })
    .unsafe("createQueryRun", { queryRun: { userId: null } });
  const caller = callerOf(mock);
  const [queryRunId, other] = [
    await caller.create("SELECT price", { waitSeconds: 1 }),
    await caller.create("select 1"),
  ];
  await caller.poll(other);
  const [told, truth] = [
    await caller.call("getQueryRunResults", { queryRunId }),
    await caller.call("getQueryRunResults", { queryRunId: other }),
  ];
  return { mock, ledger, caller, queryRunId, told, truth };
}

it("an unsafe stub tells of its statements what it is told to, in place of members at any depth", async () => {
  const { told, truth } = await lying();
  expect(told).toMatchObject({
    rows: [[1]],
    columnNames: ["price"],
    columnTypes: ["money", 7],
    page: { totalRows: "many", currentPageNumber: 1 },
  });
  expect(truth).toMatchObject({ columnTypes: ["number"], page: { totalRows: 1 } });
});

it("what is unsafe stands in the history by its stub, and not in the ledger", async () => {
  const { mock, ledger, queryRunId, told } = await lying();
  expect(mock.history.callsOf("getQueryRunResults", { queryRunId })).toMatchObject([{ result: told }]);
  expect(mock.history.unsafe()).toEqual([
    'createQueryRun({"sql":"SELECT price","waitSeconds":1}) by when("select price")',
    `getQueryRunResults({"queryRunId":"${queryRunId}"}) by when("select price")`,
  ]);
  expect(JSON.stringify(ledger.ledger())).not.toMatch(/money|many/);
  mock.history.clear();
  expect(mock.history.unsafe()).toEqual([]);
});

it("what is unsafe is told in a batch to its own call, and is none of an error", async () => {
  const { mock, caller, queryRunId } = await lying();
  mock.history.clear();
  const looks = [{ queryRunId }, { queryRunId: "none" }, { queryRunId, page: { number: 9 } }];
  const replies = await caller.sendAll("getQueryRunResults", looks);
  expect(replies).toMatchObject([
    { id: 0, result: { columnTypes: ["money", 7] } },
    { id: 1, error: { code: -32099 } },
    { id: 2, result: { columnTypes: ["money", 7] } },
  ]);
  expect(mock.history.unsafe().length).toBe(2);
});

it("our client refuses what is unsafe, or takes it for what it is", async () => {
  const mock = createMockServer();
  mock.when("select 1").unsafe("getQueryRunResults", { columnNames: 7 });
  await expect(query(createClient(mock), { sql: "select 1" })).rejects.toThrow();
  mock.reset();
  expect((await query(createClient(mock), { sql: "select 1" })).columnNames.length).toBeGreaterThan(0);
});

it("nothing is told beside the truth where a matcher fails, which its run does by it", async () => {
  const mock = createMockServer();
  mock.when("select 1").unsafe("getQueryRun", { queryRun: { state: 7 } });
  mock.when(() => {
    throw new RangeError("no such thing");
  });
  const { create, call } = callerOf(mock);
  const { queryRun } = await call("getQueryRun", { queryRunId: await create("select 1") });
  expect(queryRun).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "RangeError" });
});

it("what nobody can tell is refused", () => {
  const stub = createMockServer().when("select 1");
  expect(() => stub.unsafe("getRun" as UnsafeMethod, {})).toThrow(/no method "getRun".*getQueryRun,/);
  // @ts-expect-error its calls are about no statement
  stub.unsafe("listQueryRuns", {});
  for (const change of [null, [], "x"])
    expect(() => stub.unsafe("getQueryRun", change as unknown as object as Record<string, unknown>)).toThrow(TypeError);
});
