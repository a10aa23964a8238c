import { fileURLToPath } from "node:url";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { callsOf } from "../../../mcp/test/agent.ts";
import { apiKey } from "../fixture.ts";

/** Eras of the protocol, by the names of the SDK. */
export type Era = "legacy" | "modern";

const commandLine = fileURLToPath(new URL("../../../cli/bin/quern.js", import.meta.url));

const newClient = (era: Era) =>
  new Client(
    { name: "agent", version: "1.0.0" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );

/** Connects the client of the MCP SDK to `/mcp` of a server. */
export async function connectAgent(url: string, key = apiKey, era: Era = "modern") {
  const client = newClient(era);
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { "x-api-key": key } },
  });
  await client.connect(transport);
  await client.listTools();
  return { client, ...callsOf(client) };
}

/** Connects the client of the MCP SDK to `quern mcp`, which calls a server. */
export async function connectStdioAgent(url: string, key = apiKey, era: Era = "modern") {
  const client = newClient(era);
  const env = { QUERN_URL: url, QUERN_API_KEY: key };
  await client.connect(new StdioClientTransport({ command: process.execPath, args: [commandLine, "mcp"], env }));
  await client.listTools();
  return { client, ...callsOf(client) };
}
