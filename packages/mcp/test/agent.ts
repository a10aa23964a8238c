import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { createClient } from "@quern/client";
import type { MockServer } from "@quern/mock-server";
import { clientService } from "../src/client-service.ts";
import { createMcpServer, type McpCaller } from "../src/mcp-server.ts";

/** Output of `query` and `read_rows`, as far as tests read it. */
export interface Rows {
  readonly runId: string;
  readonly state: string;
  readonly reused?: boolean;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly unknown[])[];
  readonly offset: number;
  readonly totalRows: number | null;
  readonly nextOffset: number | null;
  readonly truncatedBy: string | null;
  readonly cutCells?: number;
}

/** Connects the client of the MCP SDK, which checks each output by the schema of its tool, to an MCP server. */
async function connectAgent(caller: McpCaller) {
  const [near, far] = InMemoryTransport.createLinkedPair();
  const client = new Client({ name: "agent", version: "1.0.0" });
  await Promise.all([createMcpServer(caller).connect(far), client.connect(near)]);
  await client.listTools(); // the client reads the output schemas
  return { client, ...callsOf(client) };
}

/** Returns functions that call tools of a connected client. */
export function callsOf(client: Client) {
  async function call(name: string, args: object = {}, options: object = {}) {
    const reply = await client.callTool({ name, arguments: { ...args } }, options);
    const [first] = reply.content;
    return { ...reply, text: first?.type === "text" ? first.text : "" };
  }

  /** Returns the output of a tool. @throws if it is an error, or if its text says something else than the output */
  async function output<Output = Rows>(name: string, args: object = {}): Promise<Output> {
    const { isError, structuredContent, text } = await call(name, args);
    if (isError) throw new Error(text);
    if (JSON.stringify(structuredContent) !== text) throw new Error("the text differs from the structured content");
    return structuredContent as Output; // the client has checked it by the schema of the tool
  }

  /** Returns the text of a failed call. */
  async function failure(name: string, args: object = {}): Promise<string> {
    const { isError, structuredContent, text } = await call(name, args);
    if (!isError || structuredContent !== undefined) throw new Error(`not an error: ${text}`);
    return text;
  }
  return { call, output, failure };
}

/** Connects an agent to a mock of the service. */
export function agentOf(mock: MockServer, caller: Partial<McpCaller> = {}) {
  const { service } = clientService(createClient({ ...mock, retries: 0 }));
  return connectAgent({ ...service, ...caller });
}
