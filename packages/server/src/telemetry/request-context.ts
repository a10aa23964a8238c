import type { IncomingMessage } from "node:http";
import type { RequestHeaders } from "@quern/json-rpc/handler";

/** Where a request keeps who sent it, for the methods. The service writes it itself, over what was sent. */
const addressHeader = "x-quern-address";

/** Notes the address that a request comes from: behind a trusted proxy it is the one that the proxy saw. */
export function noteAddress(request: IncomingMessage, trustedProxy: boolean): void {
  const forwarded = request.headers["x-forwarded-for"];
  // A proxy adds the address it saw at the end; what stands before was sent to it.
  const seen = trustedProxy
    ? String(forwarded ?? "")
        .split(",")
        .at(-1)
        ?.trim()
    : undefined;
  request.headers[addressHeader] = seen || request.socket.remoteAddress || "unknown";
}

export function addressOf(headers: RequestHeaders): string {
  return headers.get(addressHeader) ?? "unknown";
}
