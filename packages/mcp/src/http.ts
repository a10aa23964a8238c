import { createMcpHandler } from "@modelcontextprotocol/server";
import { createMcpServer, type McpCaller } from "./mcp-server.ts";

/** MCP over Streamable HTTP, without sessions, for both eras of the protocol. */
export interface McpHttp {
  /**
   * Answers an HTTP request that has been authenticated.
   * @param body Parsed body of the request.
   */
  fetch(request: Request, caller: McpCaller, body: unknown): Promise<Response>;
  close(): Promise<void>;
}

/** Creates the MCP endpoint of a service. */
export function createMcpHttp(onError: (error: Error) => void): McpHttp {
  const callers = new WeakMap<Request, McpCaller>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      if (caller === undefined) throw new Error("The request has no caller.");
      return createMcpServer(caller);
    },
    { onerror: onError },
  );
  return {
    fetch(request, caller, body) {
      callers.set(request, caller);
      return handler.fetch(request, { parsedBody: body });
    },
    close: handler.close,
  };
}
