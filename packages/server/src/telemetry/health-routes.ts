import type { IncomingMessage, ServerResponse } from "node:http";
import { createHostCheck, hostName } from "@quern/json-rpc/host-check";
import type { ServerSettings } from "../generated/settings.ts";
import { contentTypes, formatFor } from "./exposition.ts";
import type { Metrics } from "./metrics.ts";
import type { Readiness } from "./readiness.ts";

export interface HealthRoutesOptions {
  readonly metrics: Pick<Metrics, "text">;
  readonly metricsAccess: NonNullable<ServerSettings["metrics"]>;
  /** Host names that requests for metrics may have beside loopback names. */
  readonly allowedHosts?: readonly string[] | undefined;
  readonly readiness: () => Promise<Readiness>;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics`. Returns false for another request, and for `/metrics` if the client may
 * not read it. With the access `loopback`, a request for `/metrics` with a host name that is not allowed gets HTTP 403.
 */
export type HealthRoutes = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createHealthRoutes(options: HealthRoutesOptions): HealthRoutes {
  const { metrics, metricsAccess, readiness } = options;
  const isAllowedHost = createHostCheck(options.allowedHosts);

  function answer(response: ServerResponse, status: number, text: string, type = "application/json"): true {
    const retry = status === 503 ? { "retry-after": "1" } : {};
    response.writeHead(status, { "content-type": type, "cache-control": "no-store", ...retry });
    response.end(response.req.method === "HEAD" ? undefined : text);
    return true;
  }

  /** Treats a forwarded request as one of another machine, because it may come through a proxy on this one. */
  function mayReadMetrics({ socket, headers }: IncomingMessage): boolean {
    if (metricsAccess !== "loopback") return metricsAccess === "all";
    const isForwarded = headers["x-forwarded-for"] !== undefined || headers.forwarded !== undefined;
    return !isForwarded && isLoopback(socket.remoteAddress ?? "");
  }

  return (request, response) => {
    if (request.method !== "GET" && request.method !== "HEAD") return false;
    const [path] = (request.url ?? "").split("?", 1);
    if (path === "/healthz") return answer(response, 200, '{"status":"ok"}\n');
    if (path === "/readyz") {
      // The checks of a readiness do not reject.
      void readiness().then((state) =>
        answer(response, state.status === "ready" ? 200 : 503, `${JSON.stringify(state)}\n`),
      );
      return true;
    }
    if (path !== "/metrics" || !mayReadMetrics(request)) return false;
    const { host } = request.headers;
    // Browsers always send the header.
    if (metricsAccess === "loopback" && host !== undefined && !isAllowedHost(host))
      return answer(
        response,
        403,
        `Host not allowed: ${hostName(host)}; add it to the setting allowedHosts.\n`,
        "text/plain",
      );
    const format = formatFor(request.headers.accept);
    metrics.text(format).then(
      (text) => answer(response, 200, text, contentTypes[format]),
      () => answer(response, 500, '{"status":"failed"}\n'),
    );
    return true;
  };
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
