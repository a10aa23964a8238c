import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo, Socket } from "node:net";
import type { LimitsInForce } from "../common/limits.ts";
import type { Log } from "../common/log.ts";
import { watchBodies } from "./body-watch.ts";

/**
 * Milliseconds for which an idle connection stays open: longer than most clients and proxies keep one, so that the
 * server does not close a connection on which a request is about to arrive.
 */
const keepAliveTimeout = 65_000;
/** Longest time for which a closing server waits for responses in progress. */
const drainMs = 5_000;
/** Minimum time between log lines about refused connections, which a client could otherwise fill the disk with. */
const refusalLogMs = 60_000;

export type ListenerLimits = Pick<
  LimitsInForce,
  "maxConnections" | "headersTimeoutSeconds" | "bodyTimeoutSeconds" | "responseTimeoutSeconds"
>;

/** HTTP server of the service. */
export interface Listener {
  readonly isListening: boolean;
  /** Starts to listen. Port 0 takes a free port. */
  listen(port: number, host: string): Promise<{ readonly url: string }>;
  /**
   * Stops listening once the responses in progress are sent, or after {@link drainMs}; until then it accepts other
   * requests.
   */
  close(): Promise<void>;
}

/**
 * Creates the HTTP server. It closes connections above the limit, and those whose client sends its request too slowly,
 * or does not read the response.
 */
export function createListener(answer: RequestListener, limits: ListenerLimits, log: Log): Listener {
  const inProgress = new Set<ServerResponse>();
  const bodies = watchBodies(limits.bodyTimeoutSeconds * 1_000);
  const headersTimeout = limits.headersTimeoutSeconds * 1_000;
  const connectionsCheckingInterval = Math.ceil(Math.min(headersTimeout / 2, 5_000));
  const http = createServer({ keepAliveTimeout, headersTimeout, connectionsCheckingInterval }, (request, response) => {
    inProgress.add(response);
    response.once("close", () => inProgress.delete(response));
    bodies.watch(request, response);
    answer(request, response);
  });

  // A connection above the limit is closed before a byte of it is read: an answer would need the resources that the
  // limit protects.
  http.maxConnections = limits.maxConnections;
  let loggedAt = Number.NEGATIVE_INFINITY;
  http.on("drop", () => {
    if (performance.now() - loggedAt < refusalLogMs) return;
    loggedAt = performance.now();
    log.error(
      "connections are refused",
      new Error(
        `limits.maxConnections is reached: ${limits.maxConnections}; raise it, or limit each client in a proxy`,
      ),
    );
  });

  // Node.js emits the event for a connection without traffic. It counts the progress of a write as traffic.
  http.timeout = limits.responseTimeoutSeconds * 1_000;
  http.on("timeout", (socket: Socket) => {
    const waitsForService =
      socket.writableLength === 0 && [...inProgress].some((response) => isComing(response, socket));
    if (waitsForService) socket.setTimeout(http.timeout);
    else socket.destroy();
  });

  return {
    get isListening() {
      return http.listening;
    },
    async listen(port, host) {
      http.listen(port, host);
      await once(http, "listening");
      const address = http.address() as AddressInfo; // it listens on a port
      return { url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}` };
    },
    async close() {
      bodies.close();
      if (!http.listening) return;
      const timeout = setTimeout(() => http.closeAllConnections(), drainMs);
      await Promise.all([...inProgress].map((response) => new Promise((resolve) => response.once("close", resolve))));
      const closed = once(http, "close");
      http.close();
      await closed;
      clearTimeout(timeout);
    },
  };
}

/** Tells whether the client on a connection has sent its whole request and waits for the response. */
function isComing({ req, socket }: ServerResponse, connection: Socket): boolean {
  return socket === connection && req.complete;
}
