import { testOnCluster } from "./cluster.ts";
import { endureDisasters } from "./disasters.ts";
import { startLoad } from "./load.ts";
import { logRuns } from "./run-log.ts";
import { judge } from "./verdict.ts";

const runs = 300;

testOnCluster("three servers that are killed execute each acknowledged run", async (cluster) => {
  await logRuns(cluster.postgres.url);
  const load = startLoad({ ...cluster, clients: 20, runs });
  const disasters = await endureDisasters(cluster, load, runs);
  await load.done;
  await judge(cluster, load, disasters);
});
