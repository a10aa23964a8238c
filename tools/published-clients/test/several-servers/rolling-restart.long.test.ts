import { expect } from "vitest";
import { createTestClient } from "../../../../packages/server/test/fixture.ts";
import { checkRuns } from "./check-runs.ts";
import { type Cluster, testOnCluster } from "./cluster.ts";
import { acknowledges, injectFaults } from "./faults.ts";
import { type Load, startLoad } from "./load.ts";
import { isClaim, logRuns, readRunLog } from "./run-log.ts";
import { whenRunning } from "./server-process.ts";

const runs = 100;

/** Restarts one server after the other, each when an eighth of the runs was created since the last one. Returns the times. */
async function restart({ servers }: Cluster, load: Load): Promise<readonly number[]> {
  const stops: number[] = [];
  for (const server of servers) {
    await acknowledges(load, Math.min(load.acknowledged.length + runs / 8, runs));
    let stoppedAt: number | undefined;
    while (stoppedAt === undefined) {
      await whenRunning(server); // it may be killed at any time
      stoppedAt = await server.end("SIGTERM");
    }
    stops.push(stoppedAt);
    await server.start();
  }
  return stops;
}

testOnCluster("three servers that are killed and restarted execute each acknowledged run", async (cluster) => {
  await logRuns(cluster.postgres.url);
  const load = startLoad({ ...cluster, clients: 20, runs });
  const [faults, stops] = await Promise.all([injectFaults(cluster, load, runs), restart(cluster, load)]);
  await load.done;
  await expectClaims(cluster, stops);
  await checkRuns(cluster, load, faults);
});

/** Expects that each server claims runs after its restart. The last one may have restarted after the load. */
async function expectClaims({ servers, url, apiKey, postgres }: Cluster, stops: readonly number[]): Promise<void> {
  const { run } = createTestClient(url, apiKey);
  let round = 0;
  const idleServers = async () => {
    const claims = (await readRunLog(postgres.url)).filter(isClaim);
    const idle = servers.filter(
      ({ name }, index) => !claims.some(({ server, at }) => server === name && at > (stops[index] ?? 0)),
    );
    round += 1;
    const sql = Array.from({ length: idle.length * 10 }, (_, index) => `select ${round} as round, ${index} as run`);
    await Promise.all(sql.map((each) => run(each)));
    return idle.map(({ name }) => name);
  };
  await expect.poll(idleServers, { timeout: 60_000 }).toEqual([]);
}
