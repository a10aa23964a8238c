import { createServer as createHttpServer, type Server as HttpServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createHandler } from "@quern/json-rpc/handler";
import { createRequestListener } from "@quern/json-rpc/node";
import { contract } from "@quern/protocol/contract";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { createHandlers } from "./handlers/handlers.ts";
import { createAuthentication } from "./identity/authentication.ts";
import { standardErrorLog } from "./log.ts";
import type { Server, ServerOptions } from "./options.ts";
import { openService } from "./service.ts";

/** Longer than clients and proxies keep a connection, so that none is closed under a request on its way. */
const keepAliveTimeout = 65_000;

/**
 * Opens a query service on a data directory. It runs queries from then on and answers once it listens.
 * @throws when another server has the data directory
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { log = standardErrorLog } = options;
  const service = await openService(options, log);
  const handler = createHandler({
    methods: contract,
    handlers: createHandlers(service),
    authenticate: createAuthentication(service.keys),
    document,
    onError: (error, method) => log.error(`${method ?? "authentication"} failed`, error),
  });
  const http = createHttpServer({ keepAliveTimeout }, createRequestListener(handler));
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    service.changes.close();
    await closeHttp(http);
    await service.close();
  }

  function closeOnce(): Promise<void> {
    closing ??= close();
    return closing;
  }

  return {
    firstKey: service.firstKey,
    reap: service.reaper.reap,
    listen: (port = 0, host = "127.0.0.1") => listen(http, port, host),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

function listen(http: HttpServer, port: number, host: string): Promise<{ url: string }> {
  return new Promise((resolve, reject) => {
    http.once("error", reject);
    http.listen(port, host, () => {
      http.off("error", reject);
      const address = http.address() as AddressInfo; // it listens on a port
      resolve({ url: `http://${host.includes(":") ? `[${host}]` : host}:${address.port}` });
    });
  });
}

async function closeHttp(http: HttpServer): Promise<void> {
  if (!http.listening) return;
  const closed = new Promise<void>((resolve) => http.close(() => resolve()));
  http.closeIdleConnections();
  const patience = setTimeout(() => http.closeAllConnections(), 1_000);
  await closed;
  clearTimeout(patience);
}
