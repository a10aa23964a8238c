import { expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

it("waits for the end of a run if the call says so", async () => {
  const mock = createMockServer();
  mock.when("select").afterPolls(3);
  const { call, create } = callerOf(mock);
  const stateOf = async (params: object) =>
    (await call("getQueryRun", { queryRunId: await create("select"), ...params })).queryRun.state;
  expect(await stateOf({})).toBe("QUERY_STATE_RUNNING");
  expect(await stateOf({ waitSeconds: 5 })).toBe("QUERY_STATE_SUCCESS");
});

it("repeats its answer about a run that has ended, until the result is archived", async () => {
  const mock = createMockServer({ clock: { startAt: 0 } });
  const { call, create, poll } = callerOf(mock);
  const queryRunId = await create("select");
  await poll(queryRunId);
  const first = await call("getQueryRun", { queryRunId });
  expect(first.queryRun.archivedAt).toBeNull();
  mock.clock.advance("59m");
  expect(await call("getQueryRun", { queryRunId })).toEqual(first);
  mock.clock.advance("1h");
  expect((await call("getQueryRun", { queryRunId })).queryRun.archivedAt).toBe("1970-01-01T01:00:00.000Z");
});
