// Calls the tools as an agent does: a language model would choose the tool and its arguments.
import { Client } from "@modelcontextprotocol/client";
import { getDefaultEnvironment, StdioClientTransport } from "@modelcontextprotocol/client/stdio";

const { QUERN_URL = "http://127.0.0.1:8080", QUERN_API_KEY = "" } = process.env;
const client = new Client({ name: "quern-example-agent", version: "1.0.0" });
await client.connect(
  new StdioClientTransport({
    command: "npx",
    args: ["--no-install", "quern", "mcp"],
    env: { ...getDefaultEnvironment(), QUERN_URL, QUERN_API_KEY },
  }),
);
const { tools } = await client.listTools();
console.log(tools.map(({ name }) => name).join(" "));
const sql = "select origin, count(*) as cars from cars group by origin order by cars desc";
const { structuredContent } = await client.callTool({ name: "query", arguments: { sql } });
console.log(JSON.stringify(structuredContent));
await client.close();
