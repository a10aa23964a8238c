import { expect, it } from "vitest";
import { eventually, startServer } from "./fixture.ts";

it("ends a statement that runs too long, and says so by the name clients know", async () => {
  await using server = await startServer({ limits: { statementTimeoutSeconds: 1, maxRunningRuns: 1 } });
  const run = await server.run(
    "select count(*) from range(1000000000) a, range(1000000000) b where a.range <> b.range",
  );
  expect(run).toMatchObject({
    state: "QUERY_STATE_FAILED",
    errorName: "QueryRunTimedOut",
    errorMessage: "The query did not end within 1 seconds, the limit of the service; query less data.",
    errorData: { category: "RESOURCE", retryable: true },
    statementTimeoutSeconds: 1,
  });
  // Its slot is free again. On a loaded machine one second can be too short for this statement, too.
  let next = run;
  await eventually(async () => {
    next = await server.run("select 42");
    return next.errorName !== "QueryRunTimedOut";
  });
  expect((await server.results({ queryRunId: next.id })).rows).toEqual([[42]]);
});
