import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { promisify } from "node:util";
import { type Client, createQueryRun, getQueryRun } from "@quern/client";
import { startStandIn } from "../../../../packages/clickhouse/test/server.ts";
import { startPostgres } from "../../../../packages/duckdb/test/sources/postgres.ts";
import { startCoordinator } from "../../../../packages/trino/test/coordinator.ts";
import { bounded } from "../measure.ts";
import { CLI, type Service, startService } from "../service.ts";
import { shapes } from "./shapes.ts";

/** Statements of a shape that are under way at once, as many as a tenant may have by default. */
const AT_ONCE = 4;

/**
 * Sends hostile statements of the largest length to a source of each engine. Measures the delay of `/healthz` meanwhile,
 * and the memory of the service. The sources have no server that executes: a gate reads the statement before its engine.
 */
export async function gates(): Promise<void> {
  await using postgres = await startPostgres();
  await using trino = await startCoordinator(() => ({ status: 400, body: "refused" }));
  await using clickhouse = await startStandIn(() => ({
    status: 400,
    body: "Code: 62. DB::Exception: refused (SYNTAX_ERROR)",
  }));
  await postgres.run("CREATE ROLE bench_reader LOGIN");
  const engines = {
    postgres: postgres.url.replace("//reader@", "//bench_reader@"),
    trino: `trino://bench@${trino.host}/lake`,
    clickhouse: `clickhouse://bench@${clickhouse.host}/shop`,
  };
  await using service = await startService();
  for (const [name, address] of Object.entries(engines))
    await promisify(execFile)(process.execPath, [
      ...[CLI, "sources", "add", name, address, "--kind", name, "--data-dir", service.dataDir],
    ]);
  for (const dataSource of [undefined, ...Object.keys(engines)]) await measure(service, dataSource);
}

async function measure(service: Service, dataSource: string | undefined): Promise<void> {
  const name = dataSource ?? "duckdb";
  // The first statement of each shape compiles code and lets the heap grow.
  for (const sql of Object.values(shapes)) await ended(service.client, sql, dataSource);
  const before = residentMegabytes(service.pid);
  const all: number[] = [];
  let largest = before;
  const idle = watchHealth(service.url, () => {});
  await setTimeout(2_000);
  const quiet = percentile(await idle.stop()).toFixed(0);
  for (const [shape, sql] of Object.entries(shapes)) {
    const watch = watchHealth(service.url, () => {
      largest = Math.max(largest, residentMegabytes(service.pid));
    });
    const start = performance.now();
    const outcomes = await Promise.all(Array.from({ length: AT_ONCE }, () => ended(service.client, sql, dataSource)));
    const ms = performance.now() - start;
    const delays = await watch.stop();
    all.push(...delays);
    const longest = Math.max(...delays).toFixed(0);
    console.log(`  ${name}, ${shape}: ${ms.toFixed(0)} ms, /healthz at most ${longest} ms, ${outcomes[0]}`);
  }
  bounded({ what: `${name}, /healthz, p99 (${quiet} ms without)`, value: percentile(all), atMost: 50, unit: " ms" });
  bounded({ what: `${name}, growth of the server's memory`, value: largest - before, atMost: 50, unit: " MB" });
}

/** Runs a statement to its end, and returns the name of its error. */
async function ended(client: Client, sql: string, dataSource: string | undefined): Promise<string> {
  const source = dataSource === undefined ? {} : { dataSource };
  try {
    let { queryRun } = await createQueryRun(client, { sql, waitSeconds: 50, ...source });
    while (queryRun.endedAt === null)
      ({ queryRun } = await getQueryRun(client, { queryRunId: queryRun.id, waitSeconds: 50 }));
    return queryRun.errorName ?? queryRun.state;
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 60) : String(error);
  }
}

/** Requests `/healthz` again and again until it is stopped, and returns the times in milliseconds. */
function watchHealth(url: string, each: () => void): { stop(): Promise<readonly number[]> } {
  const health = new URL("/healthz", url);
  let isStopped = false;
  const times = (async () => {
    const taken: number[] = [];
    while (!isStopped || taken.length === 0) {
      const start = performance.now();
      await (await fetch(health)).text();
      taken.push(performance.now() - start);
      each();
    }
    return taken;
  })();
  return {
    async stop() {
      isStopped = true;
      return times;
    },
  };
}

function percentile(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.ceil(0.99 * values.length) - 1] ?? Number.NaN;
}

function residentMegabytes(pid: number): number {
  if (process.platform !== "linux") return 0;
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024;
}
