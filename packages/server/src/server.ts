import { InternalError } from "@quern/json-rpc/envelope";
import { createHandler, MethodError, type RequestHeaders } from "@quern/json-rpc/handler";
import { createRequestListener } from "@quern/json-rpc/node";
import { contract } from "@quern/protocol/contract";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { createHandlers } from "./handlers/handlers.ts";
import { createAuthentication } from "./identity/authentication.ts";
import { createKeyAuthenticator } from "./identity/key-authenticator.ts";
import { permitted } from "./identity/permission.ts";
import type { Principal } from "./identity/principal.ts";
import { createListener } from "./listener.ts";
import { standardErrorLog } from "./log.ts";
import type { Server, ServerOptions } from "./options.ts";
import { openService } from "./service.ts";

/**
 * Opens a query service on a data directory. It runs queries from then on and answers once it listens.
 * @throws when another server has the data directory
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { log = standardErrorLog } = options;
  const service = await openService(options, log);
  const authenticate = createAuthentication([createKeyAuthenticator(service.keys, service.clock)]);
  let closing: Promise<void> | undefined;

  async function admit(headers: RequestHeaders): Promise<Principal> {
    if (closing !== undefined) throw shuttingDown();
    const principal = await authenticate(headers);
    await service.limitRate(principal);
    return principal;
  }

  const handler = createHandler({
    methods: contract,
    handlers: permitted(createHandlers(service), () => {}),
    authenticate: admit,
    document,
    onError: (error, method) => log.error(`${method ?? "authentication"} failed`, error),
  });
  const listener = createListener(createRequestListener(handler));

  async function close(): Promise<void> {
    service.changes.close();
    await listener.close();
    await service.close();
  }

  function closeOnce(): Promise<void> {
    closing ??= close();
    return closing;
  }

  return {
    firstKey: service.firstKey,
    reap: service.reaper.reap,
    listen: (port = 0, host = "127.0.0.1") => listener.listen(port, host),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** The next server on the data directory knows all that this one knows, so that coming back is worth it. */
function shuttingDown(): Error {
  const headers = { "retry-after": "1", connection: "close" };
  return new MethodError(InternalError, "The service is being stopped", { httpStatus: 503, headers });
}
