import { join } from "node:path";
import { expect } from "vitest";
import { migrations } from "../../../../packages/postgres/src/store/migrations.ts";
import { execute } from "../../../../packages/postgres/test/store/fixture.ts";
import { type Cluster, testOnCluster } from "./cluster.ts";
import { acknowledges, endureDisasters } from "./disasters.ts";
import { type Load, startLoad } from "./load.ts";
import { createNextVersion } from "./next-version.ts";
import { isClaim, logRuns } from "./run-log.ts";
import { whenRunning } from "./server-process.ts";
import { judge } from "./verdict.ts";

const runs = 150;

/** Replaces one server after the other, each when an eighth of the runs was created since the last one. Returns the times. */
async function upgrade({ servers, folder }: Cluster, load: Load): Promise<readonly number[]> {
  const next = join(folder, "next");
  await createNextVersion(next);
  const stops: number[] = [];
  for (const server of servers) {
    await acknowledges(load, Math.min(load.acknowledged.length + runs / 8, runs));
    server.folder = next;
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

testOnCluster(
  "three servers that are killed and replaced by a next version execute each acknowledged run",
  async (cluster) => {
    const { url } = cluster.postgres;
    await logRuns(url);
    const load = startLoad({ ...cluster, clients: 20, runs });
    const [disasters, stops] = await Promise.all([endureDisasters(cluster, load, runs), upgrade(cluster, load)]);
    await load.done;
    const changes = await judge(cluster, load, disasters);

    const [migration] = await execute(
      url,
      `SELECT extract(epoch FROM applied_at) * 1000 AS at FROM quern.migrations WHERE version = ${migrations.length + 1}`,
    );
    const migratedAt = Number(migration?.at);
    for (const [index, { name }] of cluster.servers.entries()) {
      const claims = changes.filter((change) => isClaim(change) && change.server === name).map(({ at }) => at);
      const stoppedAt = stops[index] ?? 0;
      // The other servers of this version work on after the migration, and all servers of the next version work.
      if (index > 0) expect(claims.filter((at) => at > migratedAt && at < stoppedAt).length, name).toBeGreaterThan(0);
      expect(claims.filter((at) => at > stoppedAt).length, name).toBeGreaterThan(0);
    }
    expect(await execute(url, "SELECT 1 FROM quern.runs WHERE next_note <> state")).toEqual([]);
  },
);
