import { latencyBetweenServers } from "./latency.ts";
import { throughput } from "./throughput.ts";

/** Measures several servers on one PostgreSQL database and one bucket. */
export async function servers(): Promise<void> {
  await latencyBetweenServers();
  await throughput();
}
