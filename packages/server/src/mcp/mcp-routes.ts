import type { IncomingMessage, ServerResponse } from "node:http";
import type { Handler, RequestHeaders } from "@quern/json-rpc/handler";
import { createRequestListener, type RequestListenerOptions } from "@quern/json-rpc/node";
import type { Log } from "../common/log.ts";
import type { ServerOptions } from "../configuration/options.ts";
import type { Service } from "../handlers/context.ts";
import type { Principal } from "../identity/principal.ts";
import { createInProcessCalls } from "./in-process.ts";
import { createMcpHandler } from "./mcp-handler.ts";
import { mcpPath, metadataPath, resourceMetadata } from "./resource-metadata.ts";

type RequestListener = (request: IncomingMessage, response: ServerResponse) => void;

/** Parts of the server that the routes of MCP need. */
export interface McpRoutesOptions extends RequestListenerOptions {
  readonly headersOf: (request: IncomingMessage) => RequestHeaders;
  readonly limits: Handler["limits"];
  readonly authenticate: (headers: RequestHeaders) => Promise<Principal>;
  readonly fallback: RequestListener;
}

/**
 * Loads the package `@quern/mcp`. Returns a function that creates a request listener of `/mcp`, and of the metadata for its
 * authorization.
 * @throws if the package is not installed, or `mcpTools` names an unknown tool
 */
export async function loadMcp(
  service: Service,
  options: Pick<ServerOptions, "allowedHosts" | "corsOrigins" | "jwt" | "mcpTools" | "publicUrl">,
  log: Log,
): Promise<(routes: McpRoutesOptions) => RequestListener> {
  const mcp = await import("@quern/mcp").catch((cause: unknown) => {
    throw new Error("Missing package of the setting mcp: @quern/mcp; install it: npm install @quern/mcp", { cause });
  });
  const unknown = options.mcpTools?.find((name) => !mcp.toolNames.includes(name));
  if (unknown !== undefined)
    throw new Error(`Invalid mcpTools: unknown tool "${unknown}"; use ${mcp.toolNames.join(", ")}`);
  const callerOf = createInProcessCalls(mcp, service, { tools: options.mcpTools, log });

  return ({ authenticate, limits, fallback, ...listening }) => {
    const onError = (error: Error) => log.debug?.("mcp request refused", { error: error.message });
    const handler = createMcpHandler(mcp, { ...options, limits, authenticate, callerOf, onError });
    const isEndpoint = (path: string) => path === mcpPath || path.startsWith(`${mcpPath}?`);
    const answer = createRequestListener(handler, { ...listening, isEndpoint, fallback });
    return (request, response) => {
      const { method, url = "" } = request;
      if (method === "OPTIONS" && isEndpoint(url)) return preflight(response);
      if (url !== metadataPath || (method !== "GET" && method !== "HEAD")) return answer(request, response);
      const metadata = resourceMetadata(options, listening.headersOf(request));
      if (metadata === undefined) return fallback(request, response);
      response.writeHead(200, { "content-type": "application/json", "access-control-allow-origin": "*" });
      response.end(JSON.stringify(metadata));
    };
  };
}

/** Answers the question of a browser which headers a page may send. The answer to the call itself names its origin. */
function preflight(response: ServerResponse): void {
  const { origin } = response.req.headers;
  response.writeHead(204, {
    allow: "POST, OPTIONS",
    "access-control-allow-origin": origin ?? "*",
    "access-control-allow-methods": "POST",
    "access-control-allow-headers":
      "x-api-key, authorization, content-type, accept, mcp-protocol-version, mcp-session-id, mcp-method, mcp-name",
    "access-control-max-age": "86400",
    vary: "origin",
  });
  response.end();
}
