import { setTimeout as sleep } from "node:timers/promises";
import { expect } from "vitest";
import { execute } from "../../../../packages/postgres/test/store/fixture.ts";
import { createTestClient } from "../../../../packages/server/test/fixture.ts";
import { createSmallRuns } from "../../../../packages/server/test/small-runs.ts";
import { testOnCluster } from "./cluster.ts";
import { whenRunning } from "./server-process.ts";

testOnCluster(
  "three servers keep three hundred small results as they were answered, under six kills",
  async (cluster) => {
    const [runs, kills] = [300, 6];
    const client = createTestClient(cluster.url, cluster.apiKey);
    const load = createSmallRuns({ client: () => client, runs, callers: 8, kills });
    for (let killed = 0; killed < kills; killed += 1) {
      await sleep(200 + Math.random() * 400);
      const victim = cluster.servers[killed % cluster.servers.length];
      if (victim === undefined) throw new Error("a cluster has servers");
      await whenRunning(victim);
      await victim.end("SIGKILL");
      void victim.start();
      load.killed();
    }
    await load.done;
    const { answered } = await load.check();
    const [stored] = await execute(
      cluster.postgres.url,
      "SELECT count(*)::int AS runs, count(record::json #> '{result,cells}')::int AS small FROM quern.runs",
    );
    expect(stored?.runs).toBe(runs);
    expect(Number(stored?.small)).toBeGreaterThanOrEqual(answered);
    expect(await cluster.results()).toEqual([]);
  },
);
