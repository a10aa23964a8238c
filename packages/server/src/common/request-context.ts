import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHeaders } from "@quern/json-rpc/handler";

/**
 * Internal header that carries the address of the client to the handlers. The service overwrites a value that a client
 * sends.
 */
const addressHeader = "x-quern-address";
const requestIdHeader = "x-request-id";
/**
 * Accepts the ids that proxies and tracers generate. Other text is replaced, because ids are written to headers and
 * logs.
 */
const requestIdForm = /^[\w.:+/=-]{1,128}$/;

/**
 * Records the address of the client in the request headers.
 * @param trustedProxy takes the address from `x-forwarded-for`, as the proxy in front of the service reports it
 */
export function noteAddress(request: IncomingMessage, trustedProxy: boolean): void {
  const forwarded = request.headers["x-forwarded-for"];
  // A proxy appends the address of its client; the client controls the entries before it.
  const reported = trustedProxy
    ? String(forwarded ?? "")
        .split(",")
        .at(-1)
        ?.trim()
    : undefined;
  request.headers[addressHeader] = reported || request.socket.remoteAddress || "unknown";
}

/** Returns the address of the client, or `unknown` for a call that did not come over HTTP. */
export function addressOf(headers: RequestHeaders): string {
  return headers.get(addressHeader) ?? "unknown";
}

/** Generates a request id unless the client sent a well-formed one, and adds it to the response. */
export function noteRequestId(request: IncomingMessage, response: ServerResponse): void {
  const received = String(request.headers[requestIdHeader] ?? "");
  const id = requestIdForm.test(received) ? received : randomUUID();
  request.headers[requestIdHeader] = id;
  response.setHeader(requestIdHeader, id);
}

/** Returns the id of a request; undefined if it did not come over HTTP. */
export function requestIdOf(headers: RequestHeaders): string | undefined {
  return headers.get(requestIdHeader) ?? undefined;
}
