import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { type Client, cancelQueryRun, createQueryRun } from "@quern/client";
import { startStandIn } from "../../../../packages/clickhouse/test/server.ts";
import { startPostgres } from "../../../../packages/duckdb/test/sources/postgres.ts";
import { startCoordinator } from "../../../../packages/trino/test/coordinator.ts";
import { bounded, percentile99 } from "../measure.ts";
import { addSource, type Service, startService } from "../service.ts";
import { ordinaryStatement, shapes } from "./shapes.ts";

/** Statements of a shape that are under way at once, as many as a tenant may have by default. */
const AT_ONCE = 4;

/**
 * Sends hostile statements of the largest length to a source of each engine. Measures the delay of `/healthz` meanwhile,
 * and the growth of the service's memory over that of ordinary statements. The sources have no server that executes: a gate reads the statement before its engine.
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
  // With other sources, one of them would be that of a call without a source.
  await measure(service, undefined);
  for (const [name, address] of Object.entries(engines)) await addSource(service, name, address, name);
  for (const dataSource of Object.keys(engines)) await measure(service, dataSource);
}

async function measure(service: Service, dataSource: string | undefined): Promise<void> {
  const name = dataSource ?? "duckdb";
  const atOnce = (statement: (number: number) => string) =>
    Promise.all(Array.from({ length: AT_ONCE }, (_, number) => ended(service.client, statement(number), dataSource)));
  // Ordinary statements of the same length and number show what the length costs; they let the heap grow, too.
  const ordinary = await watched(service, async () => {
    for (const round of Object.keys(shapes).keys())
      await atOnce((number) => ordinaryStatement(`${name} ${round} ${number}`));
  });
  const all: number[] = [];
  let largest = 0;
  for (const [shape, sql] of Object.entries(shapes)) {
    const start = performance.now();
    const { times, megabytes, result } = await watched(service, () => atOnce(() => sql));
    const ms = performance.now() - start;
    all.push(...times);
    largest = Math.max(largest, megabytes);
    console.log(
      `  ${name}, ${shape}: ${ms.toFixed(0)} ms, /healthz at most ${Math.max(...times).toFixed(0)} ms, ${result[0]}`,
    );
  }
  const usual = percentile99(ordinary.times).toFixed(0);
  const what = `${name}, /healthz, p99 (${usual} ms during ordinary statements of the same length)`;
  bounded({ what, value: percentile99(all), atMost: 50, unit: " ms" });
  bounded({
    what: `${name}, growth of the server's memory`,
    value: largest - ordinary.megabytes,
    atMost: 50,
    unit: " MB",
  });
}

/**
 * Runs a statement to its end, and returns the name of its error. A statement that DuckDB splits for long does so in a
 * process of its own, and is canceled after some seconds.
 */
async function ended(client: Client, sql: string, dataSource: string | undefined): Promise<string> {
  const source = dataSource === undefined ? {} : { dataSource };
  try {
    const { queryRun } = await createQueryRun(client, { sql, waitSeconds: 5, ...source });
    if (queryRun.endedAt !== null) return queryRun.errorName ?? queryRun.state;
    await cancelQueryRun(client, { queryRunId: queryRun.id });
    return "canceled";
  } catch (error) {
    return error instanceof Error ? error.message.slice(0, 60) : String(error);
  }
}

interface Watched {
  /** Times of the requests in milliseconds. */
  readonly times: readonly number[];
  /** Largest resident memory of the service. */
  readonly megabytes: number;
}

/** Requests `/healthz` again and again while a piece of work is done. */
async function watched<T>({ url, pid }: Service, work: () => Promise<T>): Promise<Watched & { readonly result: T }> {
  const worker = new Worker(new URL("health-watch.ts", import.meta.url), { workerData: { url, pid } });
  await once(worker, "online");
  const result = await work();
  worker.postMessage("stop");
  const [answer] = await once(worker, "message");
  const { times, megabytes }: Watched = answer; // sent by `health-watch.ts`
  return { times, megabytes, result };
}
