import { describe, expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

function slowMock() {
  const mock = createMockServer();
  mock.when("select slow").after("60s");
  return { mock, ...callerOf(mock) };
}

describe("canceling", () => {
  it("ends a run, and answers the same again", async () => {
    const { call, create } = slowMock();
    const queryRunId = await create("select slow");
    const first = await call("cancelQueryRun", { queryRunId });
    expect(first.queryRun).toMatchObject({ state: "QUERY_STATE_CANCELED", errorMessage: null });
    expect(first.canceledQueryRun).toEqual(first.queryRun);
    expect(await call("cancelQueryRun", { queryRunId })).toEqual(first);
  });

  it("is refused after the run has ended", async () => {
    const { mock, failure, create } = slowMock();
    const queryRunId = await create("select slow");
    mock.clock.advance("60s");
    expect(await failure("cancelQueryRun", { queryRunId })).toMatchObject({
      code: -32165,
      data: { state: "QUERY_STATE_SUCCESS" },
    });
  });

  it("is refused after the run has failed", async () => {
    const { mock, failure, create } = slowMock();
    mock.when("select bad").fails({ errorMessage: "no" });
    const queryRunId = await create("select bad", { waitSeconds: 1 });
    expect(await failure("cancelQueryRun", { queryRunId })).toMatchObject({
      code: -32165,
      data: { state: "QUERY_STATE_FAILED" },
    });
  });

  it("of a run withdraws all of its requests", async () => {
    const { call, poll } = slowMock();
    const params = { sql: "select slow", maxAgeMinutes: 5 };
    const [one, other] = [await call("createQueryRun", params), await call("createQueryRun", params)];
    expect(other.queryRun.id).toBe(one.queryRun.id);
    await call("cancelQueryRun", { queryRunId: one.queryRun.id });
    expect(await poll(one.queryRun.id)).toBe("CANCELED");
  });

  it("by an idempotency key withdraws only the request with the key", async () => {
    const { call, poll, failure } = slowMock();
    const create = (idempotencyKey: string) =>
      call("createQueryRun", { sql: "select slow", maxAgeMinutes: 5, idempotencyKey });
    const [one, other] = [await create("k1"), await create("k2")];
    const id = one.queryRun.id;
    expect(other.queryRun.id).toBe(id);
    const first = await call("cancelQueryRun", { idempotencyKey: "k1" });
    expect(first).toMatchObject({ queryRun: { id, state: "QUERY_STATE_RUNNING" } });
    expect(first.canceledQueryRun).toEqual(first.queryRun);
    expect(await poll(id)).toBe("RUNNING");
    const third = await call("createQueryRun", { sql: "select slow" });
    const wrong = { queryRunId: id, queryRequestId: third.queryRequest.id };
    expect(await failure("cancelQueryRun", wrong)).toMatchObject({ code: -32099, data: { queryRunId: id } });
    await call("cancelQueryRun", { idempotencyKey: "k2" });
    expect(await poll(id)).toBe("CANCELED");
  });

  it("by an idempotency key finds its request for less than a day", async () => {
    const { mock, call, failure, create } = slowMock();
    await create("select slow", { idempotencyKey: "k" });
    mock.clock.advance(86_399_999);
    expect(await failure("cancelQueryRun", { idempotencyKey: "k" })).toMatchObject({ code: -32165 });
    mock.clock.advance(1);
    expect(await call("cancelQueryRun", { idempotencyKey: "k" })).toEqual({ canceledQueryRun: null, queryRun: null });
    const late = await call("createQueryRun", { sql: "select slow", idempotencyKey: "k" });
    expect(late.queryRun.state).toBe("QUERY_STATE_CANCELED");
  });

  it("of one request lets the run continue until its last request is withdrawn", async () => {
    const { call, create, poll } = slowMock();
    const params = { sql: "select slow", maxAgeMinutes: 5 };
    const [one, other] = [await call("createQueryRun", params), await call("createQueryRun", params)];
    const queryRunId = one.queryRun.id;
    const withdraw = (queryRequestId: string) => call("cancelQueryRun", { queryRunId, queryRequestId });
    for (let times = 0; times < 2; times++) {
      expect((await withdraw(one.queryRequest.id)).queryRun.state).toBe("QUERY_STATE_RUNNING");
    }
    expect((await withdraw(other.queryRequest.id)).queryRun.state).toBe("QUERY_STATE_CANCELED");
    expect(await poll(await create("select slow", { maxAgeMinutes: 5 }))).toBe("RUNNING");
  });

  it("withdraws a request by its idempotency key", async () => {
    const { call, create, poll } = slowMock();
    const queryRunId = await create("select slow", { idempotencyKey: "k" });
    expect(await call("cancelQueryRun", { idempotencyKey: "k" })).toMatchObject({
      queryRun: { id: queryRunId, state: "QUERY_STATE_CANCELED" },
    });
    expect(await poll(queryRunId)).toBe("CANCELED");
  });

  it("remembers for a day a key whose create has not arrived", async () => {
    const { mock, call } = slowMock();
    const withdraw = () => call("cancelQueryRun", { idempotencyKey: "k" });
    const create = (idempotencyKey: string) => call("createQueryRun", { sql: "select slow", idempotencyKey });
    expect(await withdraw()).toEqual({ canceledQueryRun: null, queryRun: null });
    expect((await create("other")).queryRun.state).not.toBe("QUERY_STATE_CANCELED");
    const late = await create("k");
    expect(late.queryRun).toMatchObject({ state: "QUERY_STATE_CANCELED", startedAt: null });
    expect(await withdraw()).toMatchObject({ queryRun: { id: late.queryRun.id } });
    mock.clock.advance("24h");
    expect((await create("k")).queryRun.state).not.toBe("QUERY_STATE_CANCELED");
  });

  it.each([
    [{}, "/params/0/queryRunId"],
    [{ queryRunId: "run_1", idempotencyKey: "k" }, "/params/0/idempotencyKey"],
  ])("refuses %j, which does not name one request", async (params, pointer) => {
    const { failure } = slowMock();
    expect(await failure("cancelQueryRun", params)).toMatchObject({ code: -32602, data: { issues: [{ pointer }] } });
  });

  it("refuses a request that is not the run's", async () => {
    const { failure, create } = slowMock();
    const queryRunId = await create("select slow");
    expect(await failure("cancelQueryRun", { queryRunId, queryRequestId: "req_none" })).toMatchObject({
      code: -32099,
      data: { queryRunId },
    });
  });
});
