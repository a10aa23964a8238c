import { encodeError } from "./call.ts";
import type { Reply } from "./handler.ts";
import { InvalidRequest } from "./method.ts";

/** The path of the endpoint. A base URL that ends with a slash gives two. */
const paths: ReadonlySet<string> = new Set(["/json-rpc", "//json-rpc"]);
const verbs = "POST, OPTIONS";

/** On every reply to a browser, which may call from anywhere, since a call is allowed by its key and not by a cookie. */
export const corsHeaders: Readonly<Record<string, string>> = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "retry-after, x-request-id",
};

/** The headers of a reply to a page of an origin, where only some may call; all may where none are said. */
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

/** An HTTP status with a JSON-RPC error as its body. */
function refusal(status: number, message: string, headers: Readonly<Record<string, string>> = {}): Reply {
  const body = encodeError("null", { code: InvalidRequest, message: `Invalid Request: ${message}` });
  return { status, headers: { "content-type": "application/json", ...headers }, body: [body] };
}

/** Whether a path, with or without a query, is that of the endpoint. */
export function isEndpoint(path: string): boolean {
  if (paths.has(path)) return true;
  const query = path.indexOf("?");
  return query > 0 && paths.has(path.slice(0, query));
}

export const notFound: Reply = refusal(404, "there is nothing here; POST to /json-rpc");

function isJson(contentType: string): boolean {
  if (contentType === "application/json") return true;
  const [mediaType = ""] = contentType.split(";", 1);
  return mediaType.trim().toLowerCase() === "application/json";
}

/** The answer that verb and headers of a request to the endpoint already decide; undefined where the body is wanted. */
export function decidedByHead(verb: string, contentType: string | null | undefined): Reply | undefined {
  if (verb === "OPTIONS") return preflight;
  if (verb !== "POST") return refusal(405, `expected POST, received ${verb}`, { allow: verbs });
  if (!isJson(contentType ?? "")) return refusal(415, "the content type must be application/json");
  return undefined;
}

/** The answer to a body above the limit. */
export function bodyTooLarge(maxBodyBytes: number): Reply {
  return refusal(413, `the body must have at most ${maxBodyBytes} bytes`);
}
