import { EngineLostError, type Executor } from "@quern/adapter";
import { expect, it } from "vitest";
import { duckdbExecutor, startServer } from "./fixture.ts";

/** The real executor, whose process seems to die the first times. */
function dyingExecutor(inner: Executor, deaths: number): Executor {
  let left = deaths;
  return {
    ...inner,
    execute: async (...call) => {
      left -= 1;
      if (left >= 0) throw new EngineLostError("the process was ended by SIGKILL");
      return inner.execute(...call);
    },
  };
}

it("tries a run again whose process died", async () => {
  await using server = await startServer({ executor: dyingExecutor(await duckdbExecutor(), 2) });
  expect(await server.rows("select 42")).toEqual([[42]]);
});

it("fails it after the third time, with the cause", async () => {
  await using server = await startServer({ executor: dyingExecutor(await duckdbExecutor(), 3) });
  const run = await server.run("select 42");
  expect(run).toMatchObject({
    state: "QUERY_STATE_FAILED",
    errorName: "WorkerLost",
    errorData: { category: "INTERNAL", retryable: true },
  });
  expect(run.errorMessage).toContain("SIGKILL");
  expect(await server.rows("select 42")).toEqual([[42]]);
});

it("does not keep a result whose rows are not those that were written", async () => {
  const inner = await duckdbExecutor();
  const executor: Executor = {
    ...inner,
    execute: async (...call) => {
      const written = await inner.execute(...call);
      return { ...written, rowCount: written.rowCount + 1 };
    },
  };
  const errors: unknown[] = [];
  const log = { error: (_: string, error: unknown) => void errors.push(error) };
  await using server = await startServer({ executor, log });
  expect(await server.run("select 42")).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "InternalError" });
  expect(String(errors[0])).toContain("the result file has 1 rows, but 2 were written");
});
