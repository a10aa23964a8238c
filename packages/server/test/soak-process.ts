// A server in a process of its own with the sources of its data directory, and so little memory that statements spill. It
// answers a message with its memory.
import { createServer } from "@quern/server";
import { liveMemory } from "./live-memory.ts";

process.on("message", () => process.send?.(liveMemory()));

const [dataDir = "", apiKey = ""] = process.argv.slice(2);
const limits = { memoryMegabytes: 100, maxRunningRuns: 4, maxIdleProcesses: 8, maxIdleProcessesOfUser: 2 };
const server = await createServer({ dataDir, apiKey, limits: { ...limits, idleProcessSeconds: 15 } });
const { url } = await server.listen();
console.log(url);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
