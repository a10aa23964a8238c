import { serveStdio } from "@modelcontextprotocol/server/stdio";
import type { Client } from "@quern/client";
import { clientService } from "./client-service.ts";
import { createMcpServer } from "./mcp-server.ts";

/** Options of `serveMcpStdio`. */
export interface McpStdioOptions {
  /**
   * Names of the tools to offer.
   * @default all tools
   */
  readonly tools?: readonly string[] | undefined;
  /** Called with errors of the connection, which the client does not see. */
  readonly onError: (error: Error) => void;
}

/**
 * Serves MCP on stdin and stdout of the process, for the caller of a client. Resolves when stdin has ended, and the requests
 * of unfinished calls are withdrawn.
 */
export async function serveMcpStdio(client: Client, { tools, onError }: McpStdioOptions): Promise<void> {
  const { service, settled } = clientService(client);
  const handle = serveStdio(() => createMcpServer({ ...service, tools }), { onerror: onError });
  await new Promise<void>((resolve) => {
    process.stdin.once("end", resolve);
    process.stdin.once("close", resolve);
    for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.once(name, resolve);
  });
  await handle.close();
  await settled();
}
