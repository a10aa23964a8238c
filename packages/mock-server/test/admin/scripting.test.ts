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

describe("the clock of another program", () => {
  it("is set to a time that is not earlier than its own", async () => {
    await using world = await scripted();
    const startAt = "2030-01-01T00:00:00.000Z";
    const { apiKey } = await world.admin.call("createNamespace", { clock: { startAt } });
    const { create, poll } = world.as(apiKey);
    await world.admin.call("stubStatement", { apiKey, match: "select", rows: [], after: "30s" });
    expect(await world.admin.call("setClock", { apiKey, to: startAt })).toEqual({ now: startAt });
    const run = await create("select");
    const to = (time: string) => world.admin.call("setClock", { apiKey, to: `2030-01-01T${time}` });
    expect(await to("00:00:29.999Z")).toEqual({ now: "2030-01-01T00:00:29.999Z" });
    expect(await poll(run)).not.toBe("SUCCESS");
    expect(await to("01:00:30+01:00")).toEqual({ now: "2030-01-01T00:00:30.000Z" });
    expect(await poll(run)).toBe("SUCCESS");
    expect(await world.admin.call("advanceClock", { apiKey, by: "1m" })).toEqual({ now: "2030-01-01T00:01:30.000Z" });
    expect(await world.admin.call("advanceClock", { apiKey, by: 0 })).toEqual({ now: "2030-01-01T00:01:30.000Z" });
  });

  it("follows the time of the machine if it ticks, and starts now by default", async () => {
    await using world = await scripted();
    const before = Date.now();
    const { apiKey } = await world.admin.call("createNamespace", { clock: { ticking: true } });
    const { now } = await world.admin.call("advanceClock", { apiKey, by: "1h" });
    expect(Date.parse(now) - 3_600_000).toBeGreaterThanOrEqual(before);
    expect(Date.parse(now) - 3_600_000).toBeLessThanOrEqual(Date.now());
  });
});

it("lists the latest calls up to the limit, in their order", async () => {
  await using world = await scripted();
  const { apiKey } = world.mock;
  for (const sql of ["select 1", "select 2", "select 3"]) await world.as(apiKey).create(sql);
  const listed = async (filter: object) =>
    (await world.admin.call("getHistory", { apiKey, ...filter })).calls.map(
      ({ params }: { readonly params: { readonly sql: string } }) => params.sql,
    );
  const all = ["select 1", "select 2", "select 3"];
  const filters = [{}, { limit: 9 }, { limit: 3 }, { limit: 2 }, { limit: 1 }, { params: { sql: "select 2" } }];
  expect(await Promise.all(filters.map(listed))).toEqual([all, all, all, all.slice(1), all.slice(2), ["select 2"]]);
  expect(await listed({ method: "getQueryRun" })).toEqual([]);
  expect(await world.admin.call("countCalls", { apiKey, method: "createQueryRun" })).toEqual({ count: 3 });
  expect(await world.admin.call("countCalls", { apiKey, params: { sql: "select 4" } })).toEqual({ count: 0 });
  expect((await world.admin.call("getHistory", { apiKey })).unusedStubs).toEqual([]);
  await world.admin.call("stubStatement", { apiKey, match: "cars", rows: [] });
  expect((await world.admin.call("getHistory", { apiKey })).unusedStubs).toEqual([expect.stringContaining("cars")]);
});

it("names what a call of an unknown namespace, stub or recording lacks", async () => {
  await using world = await scripted({ apiKey: "k" });
  const failures = [
    ["resetNamespace", { apiKey: "none" }],
    ["createNamespace", { apiKey: "k" }],
    ["deleteStub", { apiKey: "k", stubId: "none" }],
    ["getRecording", { apiKey: "k" }],
  ] as const;
  const reported = await Promise.all(failures.map(([method, params]) => world.admin.failure(method, params)));
  expect(reported.map(({ code, data }) => [code, data])).toMatchObject([
    [-32001, { apiKey: "none" }],
    [-32002, { apiKey: "k" }],
    [-32003, { stubId: "none" }],
    [-32004, { apiKey: "k" }],
  ]);
  expect(await world.admin.call("deleteStub", { apiKey: "k", ...(await stubOf(world)) })).toEqual({});
  expect(await world.admin.call("resetNamespace", { apiKey: "k" })).toEqual({});
  expect(await world.admin.call("planFault", { apiKey: "k", method: "*", status: 599 })).toEqual({});
  expect(await world.admin.call("disposeNamespace", { apiKey: "k" })).toEqual({});
});

/** Adds a stub to the namespace `k`. */
async function stubOf(world: Awaited<ReturnType<typeof scripted>>): Promise<{ readonly stubId: string }> {
  return world.admin.call("stubStatement", { apiKey: "k", match: "cars", rows: [] });
}
