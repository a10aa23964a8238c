// A server in a process of its own that measures how late its event loop is, in two histograms: a message names the one
// that counts from then on, and is answered with the 99th percentile of each in milliseconds, and with the memory.
import { monitorEventLoopDelay } from "node:perf_hooks";
import { createServer } from "@quern/server";
import { liveMemory } from "./live-memory.ts";

const [dataDir = "", apiKey = ""] = process.argv.slice(2);
const delays = { without: monitorEventLoopDelay({ resolution: 5 }), pages: monitorEventLoopDelay({ resolution: 5 }) };

process.on("message", (name) => {
  for (const delay of Object.values(delays)) delay.disable();
  const { objects: memory } = liveMemory();
  if (name === "without" || name === "pages") delays[name].enable();
  process.send?.({ memory, without: delays.without.percentile(99) / 1e6, pages: delays.pages.percentile(99) / 1e6 });
});

const server = await createServer({ dataDir, apiKey, sources: [{ name: "test", provider: "quern" }] });
const { url } = await server.listen();
console.log(url);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
