import type { Execution, Statement } from "@quern/adapter";
import { accepted, submission } from "@quern/adapter/contract";
import type { RunRecord } from "@quern/query-run/record";
import { expect, it } from "vitest";
import { executeRun } from "../../src/scheduler/execution.ts";
import { createSourceCatalog } from "../../src/sources/catalog.ts";
import { idleKind, writtenExecution } from "../fixture.ts";
import { createDependencies, type TestDependencies } from "./dependencies.ts";

interface EngineOfTest {
  readonly engineQueryId?: string | null;
  readonly begin?: () => void;
  readonly written?: Partial<Parameters<typeof writtenExecution>[0]>;
  readonly results?: Parameters<typeof createDependencies>[1];
  /** Called while the result is written. */
  readonly completed?: (deps: TestDependencies, run: RunRecord) => Promise<unknown>;
}

/** Executes one run, and returns its end, the statement that the engine was called with, and the order of releases. */
async function execute({ engineQueryId = null, begin, written, results, completed }: EngineOfTest = {}) {
  const statements: Statement[] = [];
  const order: string[] = [];
  const base = createDependencies(() => {}, results);
  const submitted = submission({ parameters: { n: 1 }, tags: { team: "a" }, traceparent: "00-trace" });
  const { run } = accepted(await base.store.runs.submit(submitted));
  const kind = {
    ...idleKind,
    hold: async () => ({ revision: "seven", release: async () => void order.push("data") }),
    async begin(statement: Statement): Promise<Execution> {
      statements.push(statement);
      begin?.();
      const release = async () => void order.push("execution");
      const file = { path: "written", columns: [], rowCount: 0, release, ...written };
      const execution = writtenExecution(file, async () => {
        order.push(`progress ${deps.progress.of(run.id)}`);
        await completed?.(deps, run);
      });
      return { ...execution, engineQueryId, progress: () => 0.5 };
    },
  };
  const sources = createSourceCatalog(() => [{ name: "source", provider: "test" }], new Map([["duckdb", kind]]));
  const deps: TestDependencies = { ...base, sources, caps: { maxResultBytes: 1_000, maxResultRows: 3 } };
  const claimed = await deps.store.runs.claim({ owner: "test", ms: 30_000 });
  if (claimed === undefined) throw new Error("there is no run");
  await executeRun(claimed, deps, new AbortController().signal, () => {});
  return { run: await deps.store.runs.run(run.id), statements, order, submitted, deps };
}

it("passes the statement, its caller and the limits to the adapter", async () => {
  const { statements, submitted } = await execute();
  const { id: runId, ...run } = submitted.run;
  expect(statements).toEqual([
    {
      runId,
      attempt: 1,
      tenantId: "tenant",
      userId: "user",
      sql: submitted.statement.sql,
      parameters: run.parameters,
      tags: run.tags,
      traceparent: "00-trace",
      source: expect.objectContaining({ name: "source", provider: "test" }),
      data: { revision: "seven", release: expect.any(Function) },
      limits: { maxResultBytes: 1_000, maxResultRows: 3, timeoutSeconds: 60 },
    },
  ]);
});

it("stores the id of the query on its engine before the result, for a server that recovers the run", async () => {
  let during: RunRecord | undefined;
  const completed = async ({ store }: TestDependencies, { id }: RunRecord) => {
    during = await store.runs.run(id);
  };
  await execute({ engineQueryId: "query_7", completed });
  expect(during).toMatchObject({ engineQueryId: "query_7" });
});

it("tracks the progress until the run ends, and releases the data before the execution", async () => {
  const { order, run, deps } = await execute();
  expect(order).toEqual(["progress 0.5", "data", "execution"]);
  expect(deps.progress.of(run?.id ?? "")).toBeUndefined();
});

it("releases the data if the statement cannot begin", async () => {
  const { order, run } = await execute({
    begin: () => {
      throw new Error("no engine");
    },
  });
  expect([order, run?.state]).toEqual([["data"], "QUERY_STATE_FAILED"]);
});

it("keeps a result of the maximum number of rows, and refuses one of more", async () => {
  expect((await execute({ written: { rowCount: 3 } })).run?.state).toBe("QUERY_STATE_SUCCESS");
  const { run } = await execute({ written: { rowCount: 4 } });
  expect(run?.failure).toMatchObject({ name: "ResultTooLarge", message: expect.stringContaining("3 rows") });
});

it("passes the file of the engine, with the columns as callers see them, to the result store", async () => {
  const files: object[] = [];
  const commit = async (_: unknown, result: object) => {
    files.push(result);
    return { columns: [], rowCount: 2, totalBytes: 1_000 };
  };
  const columns = [{ name: "Big", kind: "number" as const, engineType: "INTEGER" }];
  const { run } = await execute({ written: { path: "file", rowCount: 2, columns }, results: { commit } });
  expect(run?.state).toBe("QUERY_STATE_SUCCESS");
  expect(files).toMatchObject([{ path: "file", rowCount: 2, columns: [{ ...columns[0], name: "big" }] }]);
});
