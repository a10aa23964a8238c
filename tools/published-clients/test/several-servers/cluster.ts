import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it } from "vitest";
import { type Postgres, startPostgres } from "../../../../packages/duckdb/test/sources/postgres.ts";
import { credentials, startStorage, type TestStorage } from "../../../../packages/s3/test/storage.ts";
import { hasVersitygw } from "../../../../packages/s3/test/versitygw.ts";
import { type Balancer, startBalancer } from "./balancer.ts";
import { createServerProcess, type ServerProcess } from "./server-process.ts";

/** Three servers on one PostgreSQL database and one bucket, behind a load balancer. */
export interface Cluster extends AsyncDisposable {
  readonly url: string;
  readonly apiKey: string;
  readonly servers: readonly ServerProcess[];
  readonly postgres: Postgres;
  readonly objects: TestStorage;
  /** Errors that the servers have logged, by their text. */
  readonly logged: ReadonlyMap<string, number>;
  /** Returns the names of the stored results, as `run.attempt`, sorted. */
  results(): Promise<readonly string[]>;
}

/** Lease of a run, in seconds. */
const leaseSeconds = 5;

const bucket = "results";

/**
 * Defines a test on a cluster, which ends with the test, also after the time limit of six minutes. Where the machine
 * lacks a program, the test is skipped.
 */
export function testOnCluster(name: string, body: (cluster: Cluster) => Promise<void>): void {
  if (!hasVersitygw()) return void it.skip(`${name}: does not run here, because the machine lacks go`); // as its name says
  it(name, async ({ skip, onTestFailed, onTestFinished }) => {
    const postgres = await startPostgres().catch((error: unknown) => skip(`PostgreSQL does not start: ${error}`));
    const cluster = await startCluster(postgres);
    onTestFinished(() => cluster[Symbol.asyncDispose]());
    onTestFailed(() => console.log("The servers have logged:", cluster.logged));
    await body(cluster);
  }, 360_000);
}

async function startCluster(postgres: Postgres): Promise<Cluster> {
  await using started = new AsyncDisposableStack();
  started.use(postgres);
  const folder = await mkdtemp(join(tmpdir(), "quern-several-servers-"));
  started.defer(() => rm(folder, { recursive: true, force: true }));
  const objects = started.use(await startStorage());
  const results = await objects.createBucket(bucket);
  const balancer: Balancer = started.use(await startBalancer());
  const apiKey = "qk_several_servers_0123456789";
  const logged = new Map<string, number>();

  function onLine(line: string): void {
    const text = errorOf(line).replaceAll(/run_\w+|:\d+|key_\w+/g, "…");
    logged.set(text, (logged.get(text) ?? 0) + 1);
  }

  const servers = [1, 2, 3].map((number) => {
    const name = `server-${number}`;
    const store = Object.assign(new URL(postgres.url), { search: `?application_name=${name}` }).href;
    const env = {
      QUERN_API_KEY: apiKey,
      QUERN_STORE: store,
      QUERN_RESULTS: results,
      QUERN_LEASE_SECONDS: String(leaseSeconds),
      // Places for the runs of all clients, so that a run that was returned to the queue need not wait for one.
      QUERN_LIMITS_MAX_RUNNING_RUNS: "24",
      QUERN_LIMITS_REAP_INTERVAL_MS: "1000",
      AWS_ACCESS_KEY_ID: credentials.accessKeyId,
      AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    };
    return createServerProcess({ name, dataDir: join(folder, name), folder, env, balancer, onLine });
  });
  for (const server of servers) started.use(server);
  await servers[0]?.start();
  await Promise.all(servers.slice(1).map((server) => server.start()));
  const owned = started.move();
  return {
    url: balancer.url,
    apiKey,
    servers,
    postgres,
    objects,
    logged,
    async results() {
      const keys = await objects.keys(bucket);
      return keys.flatMap((key) => /^results\/(.*)\.parquet$/.exec(key)?.[1] ?? []).sort();
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Returns the error in a line of the log. */
function errorOf(line: string): string {
  const { msg, err } = line.startsWith("{") ? JSON.parse(line) : {};
  return err === undefined ? line : `${msg}: ${err.message}`;
}
