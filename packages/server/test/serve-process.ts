// A server in a process of its own, for tests that kill it or measure it: prints its address, runs until its end.
import { createServer } from "@quern/server";

const [dataDir = "", apiKey = ""] = process.argv.slice(2);
const server = await createServer({ dataDir, apiKey, sources: [{ name: "test", provider: "quern" }] });
const { url } = await server.listen();
console.log(url);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
