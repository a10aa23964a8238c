import type { IncomingMessage, ServerResponse } from "node:http";
import { type Metrics, metricsType } from "./metrics.ts";

/**
 * Clients that may read `/metrics`: processes of this machine (`loopback`), all that reach the port (`all`), or `none`.
 */
export type MetricsAccess = "loopback" | "all" | "none";

export interface HealthRoutesOptions {
  readonly metrics: Metrics;
  readonly metricsAccess: MetricsAccess;
  readonly isReady: () => boolean;
}

/**
 * Serves `/healthz`, `/readyz` and `/metrics`. Returns false for another request, and for `/metrics` if the client may
 * not read it.
 */
export type HealthRoutes = (request: IncomingMessage, response: ServerResponse) => boolean;

export function createHealthRoutes({ metrics, metricsAccess, isReady }: HealthRoutesOptions): HealthRoutes {
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
    if (path === "/readyz")
      return isReady()
        ? answer(response, 200, '{"status":"ready"}\n')
        : answer(response, 503, '{"status":"draining"}\n');
    if (path !== "/metrics" || !mayReadMetrics(request)) return false;
    metrics.text().then(
      (text) => answer(response, 200, text, metricsType),
      () => answer(response, 500, '{"status":"failed"}\n'),
    );
    return true;
  };
}

function isLoopback(address: string): boolean {
  return address === "::1" || /^(::ffff:)?127\./.test(address);
}
