import { EngineLostError, type EngineResult, type SourceKind } from "@quern/adapter";
import { expect, it } from "vitest";
import { duckdbKind, startServer } from "./fixture.ts";

/** The real engine, whose process seems to die the first times. */
function dyingKind(inner: SourceKind, deaths: number): SourceKind {
  let left = deaths;
  return {
    ...inner,
    begin: async (...call) => {
      left -= 1;
      if (left >= 0) throw new EngineLostError("the process was ended by SIGKILL");
      return inner.begin(...call);
    },
  };
}

it("tries a run again whose process died", async () => {
  await using server = await startServer({ kind: dyingKind(await duckdbKind(), 2) });
  expect(await server.rows("select 42")).toEqual([[42]]);
  expect(await (await fetch(`${server.url}/metrics`)).text()).toContain("\nquern_lost_workers_total 2\n");
});

it("fails it after the third time, with the cause", async () => {
  await using server = await startServer({ kind: dyingKind(await duckdbKind(), 3) });
  const run = await server.run("select 42");
  expect(run).toMatchObject({
    state: "QUERY_STATE_FAILED",
    errorName: "WorkerLost",
    errorData: { category: "INTERNAL", retryable: true },
  });
  expect(run.errorMessage).toContain("SIGKILL");
  expect(await server.rows("select 42")).toEqual([[42]]);
});

it("fails a run whose file has another number of rows than were written", async () => {
  const inner = await duckdbKind();
  const kind: SourceKind = {
    ...inner,
    async begin(...call) {
      const execution = await inner.begin(...call);
      const result = async (): Promise<EngineResult> => {
        const delivered = await execution.result();
        if (delivered.form !== "parquet") return delivered;
        const { path, rowCount } = await delivered.file();
        return { ...delivered, file: async () => ({ path, rowCount: rowCount + 1 }) };
      };
      return { ...execution, result };
    },
  };
  const errors: unknown[] = [];
  const log = { error: (_: string, error: unknown) => void errors.push(error) };
  await using server = await startServer({ kind, log, limits: { maxSmallResultBytes: 0 } });
  expect(await server.run("select 42")).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "InternalError" });
  expect(String(errors[0])).toContain("the result file has 1 rows, but 2 were written");
});
