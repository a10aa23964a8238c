import { createMcpHandler } from "@modelcontextprotocol/server";
import { createMcpServer, type McpCaller } from "./mcp-server.ts";

/** MCP over Streamable HTTP, without sessions, for both eras of the protocol. */
export interface McpHttp {
  /**
   * Answers an HTTP request that has been authenticated.
   * @param body Parsed body of the request.
   * @param connection Name of the caller's connection, which has an id for each of its requests. The notification
   * `notifications/cancelled` of a connection aborts its calls only; without a name, it aborts none.
   */
  fetch(request: Request, caller: McpCaller, body: unknown, connection?: string): Promise<Response>;
  close(): Promise<void>;
}

/** Creates the MCP endpoint of a service. */
export function createMcpHttp(onError: (error: Error) => void): McpHttp {
  const callers = new WeakMap<Request, McpCaller>();
  /** Calls in progress, by the connection and the id of the request. */
  const calls = new Map<string, AbortController>();
  const handler = createMcpHandler(
    ({ requestInfo }) => {
      const caller = requestInfo && callers.get(requestInfo);
      if (caller === undefined) throw new Error("The request has no caller.");
      return createMcpServer(caller);
    },
    { onerror: onError },
  );

  function startCall(name: string) {
    const call = new AbortController();
    calls.set(name, call);
    const end = () => void (calls.get(name) === call && calls.delete(name));
    return { signal: call.signal, [Symbol.dispose]: end };
  }

  return {
    fetch(request, caller, body, connection) {
      const { method, params } = Object(body);
      const nameOf = (id: unknown) => JSON.stringify([connection, id]);
      // Each request has a server of its own, so the one that gets the notification does not know the call.
      if (method === "notifications/cancelled") calls.get(nameOf(Object(params).requestId))?.abort();
      const isNamed = connection !== undefined;
      callers.set(request, isNamed ? { ...caller, startCall: (id) => startCall(nameOf(id)) } : caller);
      return handler.fetch(request, { parsedBody: body });
    },
    close: handler.close,
  };
}
