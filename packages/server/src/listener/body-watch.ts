import type { IncomingMessage, ServerResponse } from "node:http";
import { InvalidRequest } from "@quern/json-rpc/envelope";

/** Minimum rate at which a client must send a body, so that it cannot occupy a connection by single bytes. */
const minBytesPerSecond = 1_000;
const maxCheckMs = 5_000;

/** Bodies that are arriving. */
export interface BodyWatch {
  /** Watches the body of a request until it is complete. */
  watch(request: IncomingMessage, response: ServerResponse): void;
  close(): void;
}

interface Progress {
  readonly response: ServerResponse;
  readonly bytes: number;
  readonly since: number;
}

/**
 * Closes the connection of a client that sends a body at fewer than {@link minBytesPerSecond} for `timeoutMs`. The
 * answer is HTTP 408, unless a response has begun.
 */
export function watchBodies(timeoutMs: number): BodyWatch {
  const arriving = new Map<IncomingMessage, Progress>();
  const minBytes = (minBytesPerSecond * timeoutMs) / 1_000;

  function check(): void {
    const now = performance.now();
    for (const [request, { response, bytes, since }] of arriving) {
      if (request.complete) arriving.delete(request);
      else if (now - since < timeoutMs) continue;
      else if (request.socket.bytesRead - bytes < minBytes) timeOut(request, response);
      else arriving.set(request, { response, bytes: request.socket.bytesRead, since: now });
    }
  }

  const timer = setInterval(check, Math.ceil(Math.min(timeoutMs / 4, maxCheckMs))).unref();
  return {
    watch(request, response) {
      arriving.set(request, { response, bytes: request.socket.bytesRead, since: performance.now() });
      request.once("close", () => arriving.delete(request));
    },
    close: () => clearInterval(timer),
  };
}

function timeOut(request: IncomingMessage, response: ServerResponse): void {
  if (response.headersSent) return void request.destroy();
  const error = { code: InvalidRequest, message: "Invalid Request: the body arrived too slowly; send it again" };
  response.writeHead(408, { "content-type": "application/json", connection: "close" });
  response.end(JSON.stringify({ jsonrpc: "2.0", id: null, error }), () => request.destroy());
}
