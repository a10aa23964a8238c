import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHeaders } from "@quern/json-rpc/handler";
import { headersOf } from "@quern/json-rpc/node";

const requestIdHeader = "x-request-id";
/**
 * Accepts the ids that proxies and tracers generate. Other text is replaced, because ids are written to headers and
 * logs.
 */
const requestIdForm = /^[\w.:+/=-]{1,128}$/;

/**
 * Returns the headers of a request, and the address of the client.
 * @param trustedProxy takes the address from `x-forwarded-for`, as the proxy in front of the service reports it
 */
export function readHeaders(request: IncomingMessage, trustedProxy: boolean): RequestHeaders {
  const forwarded = request.headers["x-forwarded-for"];
  // A proxy appends the address of its client; the client controls the entries before it.
  const reported = trustedProxy
    ? String(forwarded ?? "")
        .split(",")
        .at(-1)
        ?.trim()
    : undefined;
  const headers = headersOf(request);
  return reported ? { ...headers, address: reported } : headers;
}

/** Returns the address of the client; `unknown` if the connection is closed, or the call did not come over HTTP. */
export function addressOf({ address = "unknown" }: RequestHeaders): string {
  return address;
}

/**
 * Returns the base URL under which the client reaches the service; an empty text if the request has no `host` header.
 */
export function baseUrlOf(headers: RequestHeaders): string {
  const host = headers.get("host");
  if (host === null) return "";
  // A proxy that terminates TLS sets the header. A client that forges it breaks the addresses of its own answer only.
  const scheme = headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${host}`;
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
