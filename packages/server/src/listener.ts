import { once } from "node:events";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** Longer than clients and proxies keep a connection, so that none is closed under a request on its way. */
const keepAliveTimeout = 65_000;
/** How long answers under way may take when the service is closed. */
const drainMs = 5_000;

/** The HTTP end of the service. */
export interface Listener {
  /** Port 0 takes any free one. */
  listen(port: number, host: string): Promise<{ readonly url: string }>;
  /** Stops listening once the answers under way are sent; until then other requests still come in. */
  close(): Promise<void>;
}

export function createListener(answer: RequestListener): Listener {
  const underWay = new Set<ServerResponse>();
  const http = createServer({ keepAliveTimeout }, (request, response) => {
    underWay.add(response);
    response.once("close", () => underWay.delete(response));
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
      const patience = setTimeout(() => http.closeAllConnections(), drainMs);
      await Promise.all([...underWay].map((response) => new Promise((resolve) => response.once("close", resolve))));
      const closed = once(http, "close");
      http.close();
      await closed;
      clearTimeout(patience);
    },
  };
}
