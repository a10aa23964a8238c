import { createHandler, type Handler, type RequestHeaders } from "@quern/json-rpc/handler";
import { contract } from "@quern/protocol/contract";
import type { Log } from "../common/log.ts";
import { withMethodErrors } from "../common/method-errors.ts";
import { requestIdOf } from "../common/request-context.ts";
import type { Service } from "../handlers/context.ts";
import { createHandlers } from "../handlers/handlers.ts";
import { mayCall, permitted } from "../handlers/permission.ts";
import type { Principal } from "../identity/principal.ts";

type Mcp = typeof import("@quern/mcp");
type McpCaller = Parameters<Mcp["createMcpServer"]>[0];

/** Returns the caller of one request, whose tools call the methods of this process. */
export type CallerOf = (principal: Principal, headers: RequestHeaders) => McpCaller;

/**
 * Maximum size of a page of rows, in bytes: it is parsed on the event loop, and a reply of a tool shows 40,000 characters of
 * it. The tool requests fewer rows if a page is larger.
 */
const maxPageBytes = 4_000_000;

/** Lets tools call the methods of the service without HTTP, with the principal and the address of the request. */
export function createInProcessCalls(
  { CallFailure }: Mcp,
  service: Service,
  { tools, log }: { readonly tools: readonly string[] | undefined; readonly log: Log },
): CallerOf {
  const { telemetry } = service;
  const limits = { ...service.limits, maxPageBytes: Math.min(maxPageBytes, service.limits.maxPageBytes) };
  const principals = new WeakMap<RequestHeaders, Principal>();
  const handler: Handler = createHandler({
    methods: contract,
    exactNumbers: true,
    handlers: permitted(createHandlers({ ...service, limits }), (context, scope) =>
      telemetry.audited(context, "access.refused", { method: context.method, scope }),
    ),
    authenticate: (headers: RequestHeaders): Principal => {
      const principal = principals.get(headers);
      if (principal === undefined) throw new Error("The request has no principal.");
      return principal;
    },
    around: withMethodErrors,
    onError: (error, method, headers) => log.error(`${method} failed`, error, { requestId: requestIdOf(headers) }),
  });

  return (principal, headers) => {
    principals.set(headers, principal);
    return {
      tools,
      mayCall: ({ name }) => mayCall(principal, name),
      async call({ name, errors }, params, signal) {
        const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: name, params: [params] });
        const reply = await handler.handle(body, headers, signal);
        signal.throwIfAborted();
        const text = (reply.body ?? []).map((piece) => Buffer.from(piece).toString()).join("");
        const { result, error } = JSON.parse(text);
        if (error === undefined) return result;
        throw new CallFailure(error.message, { name: errors[error.code] ?? "InternalError", data: error.data });
      },
      onToolCall: (call) => telemetry.audited({ principal, headers }, "tool.call", { ...call }),
    };
  };
}
