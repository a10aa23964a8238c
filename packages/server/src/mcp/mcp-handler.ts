import { randomUUID } from "node:crypto";
import { type Handler, MethodError, type Reply, type RequestHeaders } from "@quern/json-rpc/handler";
import { createHostRule, type HostRuleOptions } from "../common/host-rule.ts";
import { withMethodErrors } from "../common/method-errors.ts";
import { refusal } from "../common/refusal.ts";
import { scopesOf } from "../handlers/permission.ts";
import type { Principal } from "../identity/principal.ts";
import type { CallerOf } from "./in-process.ts";
import { challenge, mcpPath, type ResourceOptions } from "./resource-metadata.ts";

type Mcp = typeof import("@quern/mcp");

export interface McpHandlerOptions extends ResourceOptions, HostRuleOptions {
  readonly corsOrigins?: readonly string[] | undefined;
  readonly limits: Handler["limits"];
  /** Authenticates a request and counts it against the rate. @throws {MethodError} */
  readonly authenticate: (headers: RequestHeaders) => Promise<Principal>;
  readonly callerOf: CallerOf;
  readonly onError: (error: Error) => void;
}

/**
 * Creates the handler of `/mcp`. Its refusals are HTTP statuses with a JSON body that is no JSON-RPC response, because MCP
 * reserves some of the codes of Quern.
 */
export function createMcpHandler(mcp: Mcp, options: McpHandlerOptions): Handler {
  const { limits, authenticate, callerOf, corsOrigins = [] } = options;
  const hosts = createHostRule(options);
  const endpoint = mcp.createMcpHttp(options.onError);

  function wrongSite(headers: RequestHeaders): string | undefined {
    const refusedHost = hosts.refusal(headers.get("host"));
    if (refusedHost !== undefined) return refusedHost;
    const origin = headers.get("origin");
    if (origin === null || corsOrigins.includes(origin) || hosts.isAllowedName(URL.parse(origin)?.hostname))
      return undefined;
    return `Origin not allowed: ${origin}; add it to the setting corsOrigins.`;
  }

  async function admit(headers: RequestHeaders) {
    const { maxBodyBytes } = limits;
    const tooLarge = refusal(413, "invalid_request", `The body has more than ${maxBodyBytes} bytes.`);
    const refuse = (reply: Reply) => ({ maxBodyBytes, tooLarge: reply, answer: async () => reply });
    const wrong = wrongSite(headers);
    if (wrong !== undefined) return refuse(refusal(403, "forbidden", wrong));
    try {
      const principal = await withMethodErrors(() => authenticate(headers));
      const answer = (body: string | Uint8Array, signal?: AbortSignal) => answerBody(body, principal, headers, signal);
      return { maxBodyBytes, tooLarge, answer };
    } catch (error) {
      if (!(error instanceof MethodError)) throw error;
      const { message, httpStatus = 401 } = error;
      const more = httpStatus === 401 ? { "www-authenticate": challenge(options, headers) } : {};
      return refuse(refusal(httpStatus, names[httpStatus] ?? "error", message, { ...error.headers, ...more }));
    }
  }

  async function answerBody(
    bytes: string | Uint8Array,
    principal: Principal,
    headers: RequestHeaders,
    signal = new AbortController().signal,
  ): Promise<Reply> {
    let body: unknown;
    try {
      body = JSON.parse(Buffer.from(bytes).toString());
    } catch {
      return refusal(400, "invalid_request", "The body is not JSON.");
    }
    if (Array.isArray(body)) return refusal(400, "invalid_request", "Batches are not supported; send one message.");
    const missing = missingScopes(body, principal);
    if (missing.length > 0) {
      const more = { "www-authenticate": challenge(options, headers, missing) };
      return refusal(403, "insufficient_scope", `The credential lacks a scope: ${missing.join(", ")}.`, more);
    }
    const forwarded = ["accept", "content-type", "mcp-protocol-version", "mcp-method", "mcp-name"];
    const sent = forwarded.flatMap((name): [string, string][] => {
      const value = headers.get(name);
      return value === null ? [] : [[name, value]];
    });
    const request = new Request(`http://localhost${mcpPath}`, { method: "POST", headers: sent, signal });
    const session = headers.get(sessionHeader);
    const connection = session === null ? undefined : `${principal.apiKeyId}/${session}`;
    const response = await endpoint.fetch(request, callerOf(principal, headers), body, connection);
    const named = Object(body).method === "initialize" && response.ok ? nameOfSession() : {};
    const reply = {
      status: response.status,
      headers: { ...Object.fromEntries(response.headers), ...named },
      body: null,
    };
    return response.body === null ? reply : { ...reply, stream: response.body };
  }

  /** Returns the scopes that a call of a tool needs and the credential lacks. */
  function missingScopes(body: unknown, { scopes }: Principal): readonly string[] {
    const { method, params } = Object(body);
    if (method !== "tools/call") return [];
    return scopesOf(mcp.methodsOfTool(String(Object(params).name))).filter((scope) => !scopes.has(scope));
  }

  return {
    limits,
    admit,
    handle: async (body, headers, signal) => (await admit(headers)).answer(body, signal),
  };
}

const sessionHeader = "mcp-session-id";

/**
 * Returns the headers that name the connection of a client. The service keeps no session: the name only tells the requests
 * of one client from those of another with the same key, because each counts its requests from 0.
 */
function nameOfSession(): Readonly<Record<string, string>> {
  return {
    [sessionHeader]: randomUUID(),
    "access-control-expose-headers": `${sessionHeader}, retry-after, x-request-id`,
  };
}

/** Names of refusals, as OAuth has them for the first two. */
const names: Readonly<Record<number, string>> = {
  401: "invalid_token",
  403: "forbidden",
  429: "rate_limited",
  503: "unavailable",
};
