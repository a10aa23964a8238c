import { readFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { InternalError, InvalidRequest } from "@quern/json-rpc/envelope";
import { createHandler, MethodError, type RequestHeaders } from "@quern/json-rpc/handler";
import { createRequestListener } from "@quern/json-rpc/node";
import { contract } from "@quern/protocol/contract";
import document from "@quern/spec/openrpc.json" with { type: "json" };
import { systemClock } from "./common/clock.ts";
import { declaredError } from "./common/declared-error.ts";
import { standardErrorLog } from "./common/log.ts";
import { withMethodErrors } from "./common/method-errors.ts";
import { noteRequestId, readHeaders, requestIdOf } from "./common/request-context.ts";
import type { Server, ServerOptions } from "./configuration/options.ts";
import { openConsole } from "./console/console-routes.ts";
import { createDownloadRoute } from "./downloads/download-route.ts";
import { settingTable } from "./generated/settings.ts";
import { createHandlers } from "./handlers/handlers.ts";
import { permitted } from "./handlers/permission.ts";
import { createAuthentication } from "./identity/authentication.ts";
import { countFailedCredentials } from "./identity/failed-credentials.ts";
import { createJwtAuthenticator } from "./identity/jwt-authenticator.ts";
import { createKeyAuthenticator } from "./identity/key-authenticator.ts";
import type { Principal } from "./identity/principal.ts";
import { createListener } from "./listener/listener.ts";
import { loadMcp } from "./mcp/mcp-routes.ts";
import { openService } from "./service.ts";
import { createHealthRoutes } from "./telemetry/health-routes.ts";
import { createReadiness } from "./telemetry/readiness.ts";
import { createUploadRoute } from "./uploads/upload-route.ts";

/**
 * Opens a query service on a data directory. It executes queued runs at once, and answers calls after `listen`.
 * @throws if another server uses the data directory or its store has another schema, if the store or the results
 * cannot be opened, if an option is invalid, if the configured API key is revoked, or if a layer of the sandbox that
 * `strictSandbox` requires is missing
 */
export async function createServer(options: ServerOptions): Promise<Server> {
  const { log = standardErrorLog } = options;
  const { clock = systemClock } = options;
  const failed = countFailedCredentials(options.limits ?? {}, clock);
  const tokens = options.jwt === undefined ? [] : [await createJwtAuthenticator(options.jwt, failed, clock, log)];
  const service = await openService(options, log);
  const { telemetry } = service;
  const mcp = options.mcp === true ? await loadMcp(service, options, log) : undefined;
  const webConsole = await openConsole(service, options, log);
  const authenticate = createAuthentication(
    [...tokens, createKeyAuthenticator(service.keys, failed, clock, log)],
    (headers, { refused, caller }) => telemetry.refused({ principal: caller, headers }, { httpStatus: refused }),
  );
  let state: "ready" | "draining" | "closing" = "ready";

  async function admit(headers: RequestHeaders): Promise<Principal> {
    if (state === "closing") throw shuttingDown();
    const principal = await authenticate(headers);
    await service.limitRate(principal).catch((error: unknown) => {
      if (error instanceof MethodError) telemetry.refused({ principal, headers }, { httpStatus: 429 });
      throw error;
    });
    return principal;
  }

  /** Counts a further call of a batch. Refuses it if the reply is full; the client may then send it again at once. */
  async function admitMember(principal: Principal, isReplyFull: boolean): Promise<void> {
    if (isReplyFull) throw declaredError("RateLimited", { retryAfterMs: 0 });
    await service.limitRate(principal);
  }

  const { maxBodyBytes, maxBatch, maxDepth } = service.limits;
  const handler = createHandler({
    methods: contract,
    limits: { maxBodyBytes, maxBatch, maxDepth },
    exactNumbers: true,
    handlers: permitted(createHandlers(service), (context, scope) =>
      telemetry.audited(context, "access.refused", { method: context.method, scope }),
    ),
    authenticate: admit,
    admitMember,
    around: withMethodErrors,
    document,
    onError: (error, method, headers) =>
      log.error(`${method ?? "authentication"} failed`, error, { requestId: requestIdOf(headers) }),
  });
  const health = createHealthRoutes({
    metrics: telemetry.metrics,
    metricsAccess: options.metrics ?? settingTable.metrics.default,
    allowedHosts: options.allowedHosts,
    readiness: createReadiness(() => state === "ready", service.systems),
  });
  const headersOf = (request: IncomingMessage) => readHeaders(request, options.trustedProxy ?? false);
  const download = createDownloadRoute(service, {
    log,
    headersOf,
    allowedOrigins: options.corsOrigins,
    fromStorage: options.downloadsFromStorage,
  });
  const upload = createUploadRoute(service, { log, headersOf, allowedOrigins: options.corsOrigins });
  const refuseOthers = (request: IncomingMessage, response: ServerResponse): void => {
    if (!health(request, response) && !download(request, response) && !upload(request, response))
      refuseUnknown(response);
  };
  const listening = {
    headersOf,
    allowedOrigins: options.corsOrigins,
    maxBufferedBytes: service.limits.maxBufferedBodyBytes,
    overloaded: declaredError("RateLimited", { retryAfterMs: 1_000 }, { httpStatus: 503, headers: retryAfter }),
  };
  const { limits } = handler;
  const others = webConsole?.routes({ ...listening, limits, failed, fallback: refuseOthers }) ?? refuseOthers;
  const fallback = mcp?.({ ...listening, limits, authenticate: admit, fallback: others }) ?? others;
  const answer = createRequestListener(handler, { ...listening, fallback });
  const receive = (request: IncomingMessage, response: ServerResponse): void => {
    noteRequestId(request, response);
    response.once("finish", () => telemetry.metrics.answered(response.statusCode));
    answer(request, response);
  };
  const listener = createListener(receive, service.limits, log);

  let listensAt: { readonly url: string; readonly host: string } | undefined;
  const delay = new AbortController();
  let closing: Promise<void> | undefined;

  async function close(): Promise<void> {
    const { shutdownDelaySeconds = 0 } = options;
    state = "draining";
    listensAt = undefined;
    log.info?.("service drains", { shutdownDelaySeconds });
    telemetry.metrics.draining();
    if (shutdownDelaySeconds > 0 && listener.isListening)
      await sleep(shutdownDelaySeconds * 1_000, undefined, { signal: delay.signal }).catch(() => {});
    state = "closing";
    service.changes.close();
    await listener.close();
    await service.close();
    log.info?.("service stopped");
  }

  function closeOnce(): Promise<void> {
    if (closing !== undefined) delay.abort();
    closing ??= close();
    return closing;
  }

  return {
    firstKey: service.firstKey,
    reap: service.reaper.reap,
    signInLink() {
      if (webConsole === undefined) throw new Error(noConsole);
      return webConsole.signInLink(listensAt);
    },
    async listen(port = 0, host = "127.0.0.1") {
      const { url } = await listener.listen(port, host);
      listensAt = { url, host };
      log.info?.("service started", {
        version: packageVersion(),
        address: url,
        store: typeof options.store === "string" ? options.store : join(resolve(options.dataDir), "quern.db"),
        sources: service.sources
          .all(undefined)
          .map(({ name }) => name)
          .join(","),
      });
      return { url };
    },
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

function packageVersion(): string {
  const manifest: { readonly version: string } = JSON.parse(
    readFileSync(new URL("../package.json", import.meta.url), "utf8"),
  );
  return manifest.version;
}

const noConsole =
  "No sign-in link: the service has no console; install it with `npm install @quern/console`, and do not set console to false.";

const retryAfter = { "retry-after": "1" };

/**
 * Returns the error for calls during shutdown. It asks for a retry, which the next server on the data directory can
 * answer.
 */
function shuttingDown(): Error {
  const headers = { ...retryAfter, connection: "close" };
  return new MethodError(InternalError, "The service is shutting down; retry", { httpStatus: 503, headers });
}

function refuseUnknown(response: ServerResponse): void {
  const error = { code: InvalidRequest, message: "Invalid Request: unknown path; POST to /json-rpc" };
  response.writeHead(404, { "content-type": "application/json" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }));
}
