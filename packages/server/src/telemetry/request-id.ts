import { randomUUID } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { RequestHeaders } from "@quern/json-rpc/handler";

const header = "x-request-id";
/** Ids as proxies and tracers make them; other text is replaced, since it goes into headers and logs. */
const wellFormed = /^[\w.:+/=-]{1,128}$/;

/** Sets the id of a request unless it has a well-formed one, and sends it with the answer. */
export function noteRequestId(request: IncomingMessage, response: ServerResponse): void {
  const given = String(request.headers[header] ?? "");
  const id = wellFormed.test(given) ? given : randomUUID();
  request.headers[header] = id;
  response.setHeader(header, id);
}

/** Returns the id of a request; undefined if it did not come over HTTP. */
export function requestIdOf(headers: RequestHeaders): string | undefined {
  return headers.get(header) ?? undefined;
}
