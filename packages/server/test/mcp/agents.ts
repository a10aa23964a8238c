import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { callsOf } from "../../../mcp/test/agent.ts";
import { apiKey } from "../fixture.ts";

/** Eras of the protocol, by the names of the SDK. */
export type Era = "legacy" | "modern";

/** Connects the client of the MCP SDK to `/mcp` of a server. */
export async function connectAgent(url: string, key = apiKey, era: Era = "modern") {
  const client = new Client(
    { name: "agent", version: "1.0.0" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  const transport = new StreamableHTTPClientTransport(new URL(`${url}/mcp`), {
    requestInit: { headers: { "x-api-key": key } },
  });
  await client.connect(transport);
  await client.listTools();
  return { client, ...callsOf(client) };
}
