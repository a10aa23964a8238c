// A server in a process of its own on the sources of its data directory, for a test that kills it.
import { createServer } from "@quern/server";

const [dataDir = "", apiKey = ""] = process.argv.slice(2);
const server = await createServer({ dataDir, apiKey });
const { url } = await server.listen();
console.log(url);
process.on("SIGTERM", () => void server.close().then(() => process.exit(0)));
