import { expect } from "vitest";
import { checkRuns } from "./check-runs.ts";
import { type Cluster, testOnCluster } from "./cluster.ts";
import { acknowledges, injectFaults } from "./faults.ts";
import { type Load, startLoad } from "./load.ts";
import { isClaim, logRuns } from "./run-log.ts";
import { whenRunning } from "./server-process.ts";

const runs = 150;

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
  const changes = await checkRuns(cluster, load, faults);
  for (const [index, { name }] of cluster.servers.entries()) {
    const claims = changes.filter((change) => isClaim(change) && change.server === name).map(({ at }) => at);
    expect(claims.filter((at) => at > (stops[index] ?? 0)).length, name).toBeGreaterThan(0);
  }
});
