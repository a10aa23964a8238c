// A server in a process of its own with the sources of its data directory, and so little memory that statements spill. It
// answers a message with its memory in megabytes after a garbage collection, without the free space that V8 keeps.
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { createServer } from "@quern/server";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void; // the flag adds it to new contexts
process.on("message", () => {
  collectGarbage();
  const { rss, heapTotal, heapUsed } = process.memoryUsage();
  process.send?.(Math.round((rss - heapTotal + heapUsed) / 1e6));
});

const [dataDir = "", apiKey = ""] = process.argv.slice(2);
const limits = { memoryMegabytes: 100, maxRunningRuns: 4, maxIdleProcesses: 8, maxIdleProcessesOfUser: 2 };
const server = await createServer({ dataDir, apiKey, limits: { ...limits, idleProcessSeconds: 15 } });
const { url } = await server.listen();
console.log(url);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
