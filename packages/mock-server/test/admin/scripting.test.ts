import { describe, expect, it } from "vitest";
import { createLedger, createMockServer } from "../../src/index.ts";
import { listen } from "../../src/listen.ts";
import { scripted } from "../scripted.ts";

describe("stubs of another program", () => {
  it("fail twice, then succeed; are listed with their runs, and deleted", async () => {
    await using world = await scripted({ strict: true });
    const { apiKey } = world.mock;
    const { create, poll, call } = world.as(apiKey);
    const sequence = [{ fails: { errorMessage: "out of memory" }, times: 2 }, { rows: [{ n: 1 }] }];
    const { stubId } = await world.admin.call("stubStatement", { apiKey, match: "select a, b", sequence });
    const states: string[] = [];
    for (let run = 0; run < 4; run++) states.push(await poll(await create("select a,b")));
    expect(states).toEqual(["FAILED", "FAILED", "SUCCESS", "SUCCESS"]);
    expect(await world.admin.call("listStubs", { apiKey })).toEqual({
      stubs: [{ stubId, match: '"select a, b"', runs: 4 }],
    });
    const last = await create("select a, b");
    await world.admin.call("deleteStub", { apiKey, stubId });
    expect([await poll(last), await poll(await create("select a, b"))]).toEqual(["SUCCESS", "FAILED"]);
    expect((await call("listQueryRuns", {})).queryRuns.length).toBe(6);
    expect(await world.admin.failure("deleteStub", { apiKey, stubId })).toMatchObject({
      code: -32003,
      data: { stubId },
    });
    expect(await world.admin.call("listStubs", { apiKey })).toEqual({ stubs: [] });
  });

  it("answer a limited number of runs, and move a scenario", async () => {
    await using world = await scripted({ strict: true });
    const { apiKey } = world.mock;
    const { create, poll } = world.as(apiKey);
    const stub = (more: object) => world.admin.call("stubStatement", { apiKey, rows: [{ n: 1 }], ...more });
    await stub({ match: "once", times: 1 });
    await stub({ match: "load", scenario: { name: "cars", newState: "loaded" } });
    await stub({ match: "read", scenario: { name: "cars", requiredState: "loaded" } });
    const states: string[] = [];
    for (const sql of ["once", "once", "read", "load", "read"]) states.push(await poll(await create(sql)));
    expect(states).toEqual(["SUCCESS", "FAILED", "FAILED", "SUCCESS", "SUCCESS"]);
  });
});

it("lists namespaces, and filters and counts calls", async () => {
  await using world = await scripted({ apiKey: "first" });
  await world.admin.call("createNamespace", { apiKey: "second" });
  expect(await world.admin.call("listNamespaces", {})).toEqual({ apiKeys: ["first", "second"] });
  const { create, poll } = world.as("second");
  for (const sql of ["select a,b", "select c"]) await poll(await create(sql, { tags: { env: "test" } }));
  const filter = { apiKey: "second", method: "createQueryRun", params: { sql: "SELECT a , b", tags: { env: "test" } } };
  expect((await world.admin.call("getHistory", filter)).calls).toMatchObject([{ params: { sql: "select a,b" } }]);
  expect(await world.admin.call("countCalls", filter)).toEqual({ count: 1 });
  expect(await world.admin.call("countCalls", { apiKey: "second" })).toEqual({ count: 4 });
  expect(await world.admin.call("countCalls", { apiKey: "second", method: "getQueryRuns" })).toEqual({ count: 0 });
  const { calls } = await world.admin.call("getHistory", { apiKey: "second", limit: 1 });
  expect(calls).toMatchObject([{ method: "getQueryRun", params: { queryRunId: "run_2" } }]);
  await world.admin.call("disposeNamespace", { apiKey: "second" });
  expect(await world.admin.call("listNamespaces", {})).toEqual({ apiKeys: ["first"] });
});

it("records a service, and replays its answers", async () => {
  const service = createMockServer({ apiKey: "secret-key" });
  service.when(/cars/).rows([{ name: "fiat 128" }]);
  await using real = await listen(service);
  await using world = await scripted();
  const record = { url: real.url, apiKey: "secret-key" };
  await world.admin.call("createNamespace", { apiKey: "recorded", record });
  const sql = "select name from cars where name <> 'private'";
  const seen = async (key: string) => {
    const { create, poll, call } = world.as(key);
    const queryRunId = await create(sql);
    return [await poll(queryRunId), (await call("getQueryRunResults", { queryRunId })).rows];
  };
  const first = await seen("recorded");
  expect(first).toEqual(["SUCCESS", [["fiat 128"]]]);
  const replay = await world.admin.call("getRecording", { apiKey: "recorded" });
  expect(replay.calls.map(({ method }: { method: string }) => method)).toEqual([
    "createQueryRun",
    "getQueryRun",
    "getQueryRunResults",
  ]);
  expect(JSON.stringify(replay)).not.toMatch(/private|secret-key/);
  await real.close();
  await world.admin.call("createNamespace", { apiKey: "replayed", replay });
  expect(await seen("replayed")).toEqual(first);
  const broken = { calls: [{ method: "getQueryRuns", params: {} }] };
  expect(await world.admin.failure("createNamespace", { replay: broken })).toMatchObject({
    code: -32602,
    data: {
      issues: [{ pointer: "/params/0/replay" }],
      reason: expect.stringMatching(/unknown method at \/calls\/0\/method/),
    },
  });
  expect(await world.admin.failure("getRecording", { apiKey: "replayed" })).toMatchObject({ code: -32004 });
});

it("returns the ledger of a mock", async () => {
  await using world = await scripted({ ledger: createLedger() });
  await world.as(world.mock.apiKey).create("select 1");
  const { sessions } = await world.admin.call("getLedger", {});
  expect(sessions).toMatchObject([[{ method: "createQueryRun", params: { sql: "select 1" } }]]);
  await using without = await scripted();
  expect(await without.admin.failure("getLedger", {})).toMatchObject({ code: -32004 });
});
