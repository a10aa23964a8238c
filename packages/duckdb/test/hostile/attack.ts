import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import type { QueryRun } from "@quern/protocol/types";
import { expect } from "vitest";
import { startServer, type TestServer, temporaryDirectory } from "../../../server/test/fixture.ts";
import { type Caller, caller } from "../../../server/test/identity/callers.ts";
// The built package is used, because its processes start faster than from sources.
import { createProcessExecutor } from "../../dist/executor/executor.js";
import { sourceKindOf } from "../../src/source-kind.ts";
import { bundledWorker } from "./bundled-worker.ts";
import type { HostileStatement, Places } from "./hostile-statement.ts";
import { contents, furnish, marker } from "./surroundings.ts";

const neighbourSql = "select count(*) as n from range(1000000) t(i) where hash(i) % 2 < 2";

/**
 * Texts that no result may contain: from files of the service and the machine, and from the environment of the service.
 */
export const forbidden = new RegExp(`${marker}|root:x:0|HOME=`);

/** Server that one tenant attacks, and the data of another tenant. */
export interface Battlefield extends AsyncDisposable {
  readonly server: TestServer;
  readonly places: Places;
  /** Runs statements during a run of another tenant, and asserts that none escapes the sandbox. */
  attack(...statements: readonly HostileStatement[]): Promise<readonly QueryRun[]>;
}

/** With `ungated` no gate checks the statements, so that only the other layers protect the service. */
type Gate = "gated" | "ungated";

/** With the gate a statement fails by itself or by its limits. Without it some succeed without harm. */
export function expectOutcome(gate: Gate, { name, without }: HostileStatement, run: QueryRun | undefined): void {
  const outcome = run?.state === "QUERY_STATE_SUCCESS" ? "success" : run?.errorName;
  const found = without === "limit" && run?.errorData?.category === "RESOURCE" ? "limit" : outcome;
  if (gate === "ungated" && without !== undefined) {
    expect({ name, outcome: found }, run?.errorMessage ?? undefined).toEqual({ name, outcome: without });
    return;
  }
  expect({ name, state: run?.state }).toEqual({ name, state: "QUERY_STATE_FAILED" });
  expect(["USER", "RESOURCE", "DATA_SOURCE"]).toContain(run?.errorData?.category);
}

const sizes = { memoryMegabytes: 200, spillMegabytes: 50, maxResultBytes: 20_000_000, maxRunningRuns: 4 };

/** @param statementTimeoutSeconds Ends statements that no other limit ends. */
export async function createBattlefield(gate: Gate, statementTimeoutSeconds: number): Promise<Battlefield> {
  const limits = { ...sizes, statementTimeoutSeconds };
  const [outside, dataDir] = [await temporaryDirectory(), await temporaryDirectory()];
  // No process starts before the server has emptied its work directory.
  const idle = { maxIdleProcessesOfUser: 4, idleProcessSeconds: 60 };
  const ungated = { ...limits, ...idle, workDirectory: join(dataDir, "work"), warmProcesses: 0 };
  const kind =
    gate === "gated"
      ? undefined
      : sourceKindOf(
          createProcessExecutor(await bundledWorker("ungated-worker"), ungated),
          join(dataDir, "work", "sources"),
        );
  const provider = "quern";
  const own = join(dataDir, "sources", "own.duckdb");
  const sources = [{ name: "own", provider, path: own }];
  const server = await startServer({ dataDir, limits, sources, kind, mcp: true });
  const around = await furnish(outside, dataDir);
  const neighbour = await caller(server, { tenant: "neighbour", user: "neighbour" });
  const kept = await runOf(neighbour, `select '${marker}' as secret from range(20000)`); // larger than what the store keeps
  expect(kept).toMatchObject({ state: "QUERY_STATE_SUCCESS" });
  const [stored = ""] = await readdir(join(dataDir, "results"));
  const places: Places = { ...around, result: join(dataDir, "results", stored) };
  const before = await contents(outside, dataDir);

  /** Apart from results of known runs, no file was added, removed or changed. */
  async function expectNothingChanged(runs: readonly QueryRun[]): Promise<void> {
    const after = new Map(await contents(outside, dataDir));
    for (const { id } of runs) after.delete(join(dataDir, "results", `${id}.1.parquet`));
    expect(after).toEqual(before);
  }

  const known: QueryRun[] = [];
  return {
    server,
    places,
    async attack(...statements) {
      const attacks = statements.map(({ sql }) => server.run(sql(places)));
      const [beside, ...runs] = await Promise.all([runOf(neighbour, neighbourSql), ...attacks]);
      known.push(beside, ...runs);
      expect(beside).toMatchObject({ state: "QUERY_STATE_SUCCESS", rowCount: 1 });
      expect(JSON.stringify(runs)).not.toMatch(forbidden);
      for (const { id, state } of runs)
        if (state === "QUERY_STATE_SUCCESS")
          expect(JSON.stringify(await server.results({ queryRunId: id }))).not.toMatch(forbidden);
      await expectNothingChanged(known);
      return runs;
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      for (const folder of [outside, dataDir]) await rm(folder, { recursive: true, force: true });
    },
  };
}

async function runOf({ call }: Caller, sql: string): Promise<QueryRun> {
  // The types of the answers are those of the service.
  let run = (await call("createQueryRun", { sql, waitSeconds: 30 })).result?.queryRun as QueryRun;
  while (run.endedAt === null)
    run = (await call("getQueryRun", { queryRunId: run.id, waitSeconds: 30 })).result?.queryRun as QueryRun;
  return run;
}
