import limits from "@quern/spec/limits.json" with { type: "json" };
import { describe, expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

const sql = "select origin from cars";

describe("reuse", () => {
  it("returns the run of an equal statement that is not older than `maxAgeMinutes`", async () => {
    const mock = createMockServer();
    const { call, create, poll } = callerOf(mock);
    const id = await create(sql);
    await poll(id);
    mock.clock.advance("30m");
    expect(await call("createQueryRun", { sql: `${sql} ;`, maxAgeMinutes: 30 })).toMatchObject({
      queryRequest: { queryRunId: id, triggeredQueryRun: false, userSkipCache: false },
      queryRun: { id, state: "QUERY_STATE_SUCCESS" },
      // The executed text is the statement of both requests.
      sqlStatement: { sql, columnMetadata: expect.anything() },
    });
    mock.clock.advance(1);
    expect((await call("createQueryRun", { sql, maxAgeMinutes: 30 })).queryRequest.triggeredQueryRun).toBe(true);
  });

  it.each([
    ["always runs for an age of 0", { sql, maxAgeMinutes: 0 }],
    ["always runs without an age", { sql }],
    ["tells statements apart", { sql: `${sql} where true`, maxAgeMinutes: 60 }],
    ["tells parameters apart", { sql, parameters: [1], maxAgeMinutes: 60 }],
    ["tells sources apart", { sql, dataSource: "other", maxAgeMinutes: 60 }],
  ])("%s", async (_, params) => {
    const { call, create, poll } = callerOf(createMockServer());
    const id = await create(sql);
    await poll(id);
    const { queryRun, queryRequest } = await call("createQueryRun", params);
    expect(queryRun.id).not.toBe(id);
    expect(queryRequest.triggeredQueryRun).toBe(true);
  });

  it("joins a run in progress", async () => {
    const mock = createMockServer();
    mock.when(sql).after("30s");
    const { create } = callerOf(mock);
    const [one, other] = await Promise.all([create(sql, { maxAgeMinutes: 5 }), create(sql, { maxAgeMinutes: 5 })]);
    expect(one).toBe(other);
  });

  it("returns a run whose end is due as one that has ended", async () => {
    const mock = createMockServer();
    mock.when(sql).after("30s");
    const { call, create } = callerOf(mock);
    const id = await create(sql);
    mock.clock.advance("30s");
    const { queryRun } = await call("createQueryRun", { sql, maxAgeMinutes: 5 });
    expect(queryRun).toMatchObject({ id, state: "QUERY_STATE_SUCCESS" });
  });

  it("never returns a failure", async () => {
    const mock = createMockServer();
    mock.when(sql).fails({ errorMessage: "no" });
    const { create, poll } = callerOf(mock);
    const id = await create(sql);
    await poll(id);
    expect(await create(sql, { maxAgeMinutes: 60 })).not.toBe(id);
  });
});

it("describes a statement by the latest request with a result, or else by the latest request", async () => {
  const { call, poll } = callerOf(createMockServer());
  const create = (of: string) => call("createQueryRun", { sql, tags: { of } });
  const first = await create("first");
  const { sqlStatementId } = first.queryRun;
  expect(sqlStatementId).toMatch(/^st_[0-9a-f]{24}$/);
  const reported = async () => (await call("getSqlStatement", { sqlStatementId })).sqlStatement;
  expect(await reported()).toMatchObject({ tags: { of: "first" }, columnMetadata: null });
  await poll(first.queryRun.id);
  const second = await create("second");
  expect(second.sqlStatement).toMatchObject({ tags: { of: "second" }, columnMetadata: null });
  expect(await reported()).toMatchObject({ tags: { of: "first" }, columnMetadata: { columns: expect.any(Array) } });
  await poll(second.queryRun.id);
  expect(await reported()).toMatchObject({ tags: { of: "second" }, columnMetadata: { columns: expect.any(Array) } });
});

describe("an idempotency key", () => {
  const idempotencyKey = "report-1";

  it("answers a repeated call with the first one's request", async () => {
    const { call } = callerOf(createMockServer());
    const first = await call("createQueryRun", { sql, idempotencyKey, tags: { a: "b" } });
    const second = await call("createQueryRun", { idempotencyKey, tags: { a: "b" }, sql, waitSeconds: 1 });
    expect(second.queryRequest).toEqual(first.queryRequest);
    expect(second.queryRequest.idempotencyKey).toBe(idempotencyKey);
  });

  it("is refused with other members", async () => {
    const { create, failure } = callerOf(createMockServer());
    await create(sql, { idempotencyKey });
    const error = await failure("createQueryRun", { sql: "select 2", idempotencyKey });
    expect(error).toMatchObject({
      code: -32602,
      data: {
        reason: "IdempotencyMismatch",
        issues: [
          {
            pointer: "/params/0/idempotencyKey",
            expected: "a new key, or the params of the earlier call with this key",
            received: '"report-1"',
          },
        ],
      },
    });
  });

  it("is that of the call with it, and no call without one repeats another", async () => {
    const mock = createMockServer();
    const { create } = callerOf(mock);
    const id = await create(sql, { idempotencyKey });
    mock.clock.advance(86_399_999);
    expect(await create(sql, { idempotencyKey })).toBe(id);
    expect(await create(sql, { idempotencyKey: "report-2" })).not.toBe(id);
    const [one, other] = [await create(sql), await create(sql)];
    expect(new Set([id, one, other]).size).toBe(3);
  });

  it("is forgotten after a day", async () => {
    const mock = createMockServer();
    const { create } = callerOf(mock);
    const id = await create(sql, { idempotencyKey });
    mock.clock.advance("1d");
    expect(await create(sql, { idempotencyKey })).not.toBe(id);
  });
});

describe("reuse of what other calls created", () => {
  it("is for equal parameters, whatever the tags are", async () => {
    const { create, poll } = callerOf(createMockServer());
    const id = await create(sql);
    const own = await create(sql, { parameters: [1] });
    await Promise.all([poll(id), poll(own)]);
    const reused = { maxAgeMinutes: 60 };
    expect(await create(sql, reused)).toBe(id);
    expect(await create(sql, { ...reused, parameters: [1] })).toBe(own);
    expect(await create(sql, { ...reused, tags: { a: "b" } })).toBe(id);
  });

  it("tells providers apart, and names the default source", async () => {
    const { create, poll } = callerOf(createMockServer());
    const id = await create(sql);
    await poll(id);
    const reused = { maxAgeMinutes: 60 };
    expect(await create(sql, { ...reused, dataProvider: "other" })).not.toBe(id);
    expect(await create(sql, reused)).toBe(id);
  });

  it("keeps the result for the longest time that a request asks for", async () => {
    const mock = createMockServer();
    const { call, create, poll } = callerOf(mock);
    const id = await create(sql, { resultTTLHours: 1 });
    await poll(id);
    expect(await create(sql, { maxAgeMinutes: 60, resultTTLHours: 48 })).toBe(id);
    mock.clock.advance("47h");
    expect((await call("getQueryRunResults", { queryRunId: id })).rows).toHaveLength(3);
  });

  it("ends no run that is not due, and that of no other statement", async () => {
    const mock = createMockServer();
    mock.when(sql).after("30s");
    const { call, create } = callerOf(mock);
    const id = await create(sql);
    mock.clock.advance("29s");
    const { queryRun, queryRequest } = await call("createQueryRun", { sql, maxAgeMinutes: 5 });
    expect([queryRun.id, queryRun.endedAt, queryRequest.triggeredQueryRun]).toEqual([id, null, false]);
  });
});

it("numbers runs and requests, and shows their members", async () => {
  const mock = createMockServer({ clock: { startAt: Date.UTC(2030, 0, 1) } });
  const { call } = callerOf(mock);
  const first = await call("createQueryRun", { sql, tags: { a: "b" }, idempotencyKey: "k", resultTTLHours: 2 });
  mock.clock.advance("1s");
  const second = await call("createQueryRun", { sql, maxAgeMinutes: 7 });
  expect([first.queryRun.id, first.queryRequest.id]).toEqual(["run_1", "req_1"]);
  expect(first.queryRequest).toMatchObject({
    queryRunId: "run_1",
    sqlStatementId: first.sqlStatement.id,
    tags: { a: "b" },
    idempotencyKey: "k",
    triggeredQueryRun: true,
    maxAgeMinutes: 0,
    resultTTLHours: 2,
    createdAt: "2030-01-01T00:00:00.000Z",
    userId: second.queryRequest.userId,
  });
  expect(first.queryRun).toMatchObject({
    tags: { a: "b" },
    sqlStatementId: first.sqlStatement.id,
    createdAt: "2030-01-01T00:00:00.000Z",
  });
  expect(second.queryRequest).toMatchObject({ tags: {}, idempotencyKey: null, maxAgeMinutes: 7, resultTTLHours: 1 });
  expect(second.queryRequest.createdAt).toBe("2030-01-01T00:00:01.000Z");
  expect(second.sqlStatement.id).toBe(first.sqlStatement.id);
  expect(first.sqlStatement.id).toBe(`st_${first.sqlStatement.statementHash.slice(0, 24)}`);
});

describe("a request", () => {
  it("is defaulted and clamped", async () => {
    const { call } = callerOf(createMockServer());
    const { queryRequest } = await call("createQueryRun", { sql, resultTTLHours: 100_000, maxAgeMinutes: 100_000 });
    expect(queryRequest).toMatchObject({ resultTTLHours: 720, maxAgeMinutes: 10_080, tags: {}, idempotencyKey: null });
    expect((await call("createQueryRun", { sql, resultTTLHours: 0 })).queryRequest.resultTTLHours).toBe(1);
  });

  it("is refused if no engine could execute it", async () => {
    const { failure } = callerOf(createMockServer());
    expect(await failure("createQueryRun", { sql: " \n" })).toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: "/params/0/sql", expected: "a SQL statement" }] },
    });
    expect(await failure("createQueryRun", { sql: 1 })).toMatchObject({
      code: -32602,
      data: { issues: [{ pointer: "/params/0/sql" }] },
    });
  });

  it("waits for the end of its run if it says so", async () => {
    const { call } = callerOf(createMockServer());
    const stateOf = async (params: object) => (await call("createQueryRun", { sql, ...params })).queryRun.state;
    expect(await stateOf({ waitSeconds: 5 })).toBe("QUERY_STATE_SUCCESS");
    expect(await stateOf({})).not.toBe("QUERY_STATE_SUCCESS");
  });

  it("is kept with the statement's hash", async () => {
    const { sqlStatement } = await callerOf(createMockServer()).call("createQueryRun", { sql: "select 1 as n" });
    expect(sqlStatement.statementHash).toBe("5d92dda8c7d804865d1df78b365bf71f2c365f35ae95f8ec838dee3d6036d164");
  });
});

it("shows the timeout that the service has by default", async () => {
  const { queryRun } = await callerOf(createMockServer()).call("createQueryRun", { sql });
  expect(queryRun.statementTimeoutSeconds).toBe(limits.limits.statementTimeoutSeconds.default);
});

describe("the first page", () => {
  const page = { waitSeconds: 1, results: { format: "json", page: { size: 1 } } } as const;

  it("is that of getQueryRunResults", async () => {
    const mock = createMockServer({ clock: { auto: true } });
    mock.when(sql).rows([{ origin: "USA" }, { origin: "Japan" }]);
    const { call } = callerOf(mock);
    const { queryRun, results } = await call("createQueryRun", { sql, ...page });
    const params = { queryRunId: queryRun.id, format: "json", page: { number: 1, size: 1 } } as const;
    expect(results).toEqual(await call("getQueryRunResults", params));
    expect(results?.rows).toEqual([{ origin: "USA" }]);
  });

  it("is left out if it is too large, or if the run has no rows", async () => {
    const { call } = callerOf(createMockServer({ clock: { auto: true }, maxPageBytes: 10 }));
    expect(await call("createQueryRun", { sql, ...page })).not.toHaveProperty("results");
    const mock = createMockServer({ clock: { auto: true } });
    mock.when(sql).fails({ errorMessage: "no" });
    expect(await callerOf(mock).call("createQueryRun", { sql, ...page })).not.toHaveProperty("results");
  });

  it("is left out while a test changes the answers of getQueryRunResults", async () => {
    const mock = createMockServer({ clock: { auto: true } });
    const { call } = callerOf(mock);
    mock.fault("getQueryRunResults", { status: 500 });
    const { queryRun, ...first } = await call("createQueryRun", { sql, ...page });
    expect(first).not.toHaveProperty("results");
    await call("getQueryRunResults", { queryRunId: queryRun.id }).catch(() => undefined);
    expect(await call("createQueryRun", { sql, ...page })).toHaveProperty("results");
    mock.when("select broken").violateContract("getQueryRunResults", { rows: null });
    expect(await call("createQueryRun", { sql: "select broken", ...page })).not.toHaveProperty("results");
  });
});
