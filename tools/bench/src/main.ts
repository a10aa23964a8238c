import { cpus } from "node:os";
import { agents } from "./agents/agents.ts";
import { attacks } from "./attacks/attacks.ts";
import { eventLoop } from "./attacks/event-loop.ts";
import { cli } from "./cli/cli.ts";
import { consolePages } from "./console/console.ts";
import { engines } from "./engines.ts";
import { gates } from "./gates/gates.ts";
import { arrow } from "./large-result/arrow.ts";
import { largeResult } from "./large-result/large-result.ts";
import { pages } from "./large-result/pages.ts";
import { loading } from "./loading.ts";
import { mock } from "./mock/mock.ts";
import { peers } from "./peers/peers.ts";
import { rows } from "./rows/rows.ts";
import { latencyBetweenServers } from "./servers/latency.ts";
import { throughput } from "./servers/throughput.ts";
import { sizes } from "./sizes.ts";
import { smallRuns } from "./small-runs/small-runs.ts";

/** Benchmarks of `npm run bench`, by name. */
const BENCHES: Readonly<Record<string, (options: readonly string[]) => Promise<void>>> = {
  sizes: (options) => sizes({ write: options.includes("--write") }),
  // Imported late, because it defines the globals of a page in this process.
  dashboard: async () => (await import("./dashboard/dashboard.ts")).dashboard(),
  agents: () => agents(),
  arrow: () => arrow(),
  cli: () => cli(),
  console: () => consolePages(),
  "large-result": () => largeResult(),
  loading: () => loading(),
  mock: () => mock(),
  pages: () => pages(),
  peers: () => peers(),
  rows: () => rows(),
  "small-runs": () => smallRuns(),
  servers: () => latencyBetweenServers().then(throughput),
  engines: () => engines(),
  attacks: () => attacks(),
  gates: () => gates(),
  "event-loop": () => eventLoop(),
};

const [name, ...options] = process.argv.slice(2);
const chosen = name === undefined ? Object.keys(BENCHES) : [name];
console.log(
  `${new Date().toISOString().slice(0, 10)}, Node ${process.versions.node}, ${cpus().length} x ${cpus()[0]?.model}`,
);
for (const bench of chosen) {
  const run = BENCHES[bench];
  if (run === undefined) {
    console.error(`unknown benchmark: ${bench}; use one of ${Object.keys(BENCHES).join(", ")}`);
    process.exit(2);
  }
  console.log(`\n# ${bench}`);
  await run(options);
}
