import { encodeError } from "./call.ts";
import { describe } from "./issue.ts";
import { InvalidRequest } from "./method.ts";
import { errorObject, type MethodError } from "./method-error.ts";
import { jsonReply, type Reply } from "./reply.ts";

/** Paths of the endpoint. A base URL that ends with a slash gives the second one. */
const paths: ReadonlySet<string> = new Set(["/json-rpc", "//json-rpc"]);
const verbs = "POST, OPTIONS";

/**
 * CORS headers of a reply to a browser if all origins may call. That is the default, because a call is authorized by
 * its API key, which a browser, unlike a cookie, does not send by itself.
 */
export const corsHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after, x-request-id",
};

/**
 * Returns the CORS headers of a reply to an origin.
 * @param allowed Origins that may call; undefined for all origins.
 */
export function corsOf(origin: string, allowed: readonly string[] | undefined): Readonly<Record<string, string>> {
  if (allowed === undefined) return corsHeaders;
  if (!allowed.includes(origin)) return { vary: "origin" };
  return { ...corsHeaders, "access-control-allow-origin": origin, vary: "origin" };
}

const preflight: Reply = {
  status: 204,
  headers: {
    allow: verbs,
    "access-control-allow-methods": "POST",
    "access-control-allow-headers": "x-api-key, authorization, content-type, x-request-id, traceparent",
    "access-control-max-age": "86400",
  },
  body: null,
};

/** Returns the reply to a whole request with an error. @param idText id of the request as JSON text */
export function errorReply(error: MethodError, idText = "null"): Reply {
  return jsonReply(encodeError(idText, errorObject(error)), error.httpStatus ?? 401, error.headers);
}

/** Returns a reply with an HTTP status and a JSON-RPC error as its body. */
function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Reply {
  return jsonReply(
    encodeError("null", { code: InvalidRequest, message: `Invalid Request: ${message}` }),
    status,
    headers,
  );
}

/** Tells whether a path, with or without a query, is the path of the endpoint. */
export function isEndpoint(path: string): boolean {
  if (paths.has(path)) return true;
  const query = path.indexOf("?");
  return query > 0 && paths.has(path.slice(0, query));
}

export const notFound: Reply = refusal(404, "unknown path; send POST to /json-rpc");

function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const [mediaType = ""] = contentType.split(";", 1);
  return mediaType.trim().toLowerCase() === "application/json";
}

/** Returns the reply that the verb and content type of a request determine; undefined if the body is needed. */
export function replyByHead(verb: string, contentType: string | null | undefined): Reply | undefined {
  if (verb === "OPTIONS") return preflight;
  if (verb !== "POST") return refusal(405, `expected POST, received ${verb}`, { allow: verbs });
  if (!isJson(contentType ?? ""))
    return refusal(415, `expected the content type application/json, received ${describe(contentType ?? undefined)}`);
  return undefined;
}

/** Returns the reply to a body above the limit. */
export function bodyTooLarge(maxBodyBytes: number): Reply {
  return refusal(413, `expected a body of at most ${maxBodyBytes} bytes, received more`);
}
