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

  it("is refused once the run has ended", async () => {
    const { mock, failure, create } = slowMock();
    const queryRunId = await create("select slow");
    mock.clock.advance("60s");
    expect(await failure("cancelQueryRun", { queryRunId })).toMatchObject({
      code: -32165,
      data: { state: "QUERY_STATE_SUCCESS" },
    });
  });

  it("for one request lets the run go on until its last request has withdrawn", async () => {
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

  it("refuses a request that is not the run's", async () => {
    const { failure, create } = slowMock();
    const queryRunId = await create("select slow");
    expect(await failure("cancelQueryRun", { queryRunId, queryRequestId: "req_none" })).toMatchObject({
      code: -32099,
      data: { queryRunId },
    });
  });
});
