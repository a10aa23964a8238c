import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/**
 * Milliseconds for which an idle connection stays open: longer than most clients and proxies keep one, so that the
 * server does not close a connection on which a request is about to arrive.
 */
const keepAliveTimeout = 65_000;
/** Longest time for which a closing server waits for responses in progress. */
const drainMs = 5_000;

/** HTTP server of the service. */
export interface Listener {
  /** Starts to listen. Port 0 takes a free port. */
  listen(port: number, host: string): Promise<{ readonly url: string }>;
  /**
   * Stops listening once the responses in progress are sent, or after {@link drainMs}; until then it accepts other
   * requests.
   */
  close(): Promise<void>;
}

export function createListener(answer: RequestListener): Listener {
  const inProgress = new Set<ServerResponse>();
  const http = createServer({ keepAliveTimeout }, (request, response) => {
    inProgress.add(response);
    response.once("close", () => inProgress.delete(response));
    answer(request, response);
  });

  return {
    async listen(port, host) {
      http.listen(port, host);
      await once(http, "listening");
      const address = http.address() as AddressInfo; // it listens on a port
      return { url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}` };
    },
    async close() {
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
