import { InternalError, InvalidRequest } from "@quern/json-rpc/envelope";
import { MethodError } from "@quern/json-rpc/handler";
import { contentDisposition } from "@quern/query-run/file-name";
import type { DownloadLink, NamespaceState } from "../namespace/namespace-state.ts";
import type { NamespaceRegistry } from "../namespace/registry.ts";
import { fileTexts } from "../results/file-text.ts";
import { viewRows } from "../results/view.ts";
import { downloadPath } from "../wire/addresses.ts";
import { declaredError } from "../wire/contract-methods.ts";
import { findResult, findRun } from "./lookup.ts";

const headers = {
  "access-control-allow-origin": "*",
  "access-control-expose-headers": "content-disposition",
  "cache-control": "no-store",
};

const preflight = { "access-control-allow-methods": "GET, HEAD", "access-control-allow-headers": "*" };

/** Answers a request for the file of a link, which needs no key. Returns undefined for a request to another path. */
export function downloadFile({ url, method }: Request, namespaces: NamespaceRegistry): Response | undefined {
  const { pathname } = new URL(url);
  if (!pathname.startsWith(downloadPath)) return undefined;
  // The preflight request of a page on another origin.
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { ...headers, ...preflight } });
  if (method !== "GET" && method !== "HEAD")
    return refusal(405, InvalidRequest, `Invalid Request: expected GET or HEAD, received ${method}`);
  const token = pathname.slice(downloadPath.length);
  for (const key of namespaces.keys()) {
    const namespace = namespaces.find(key);
    const link = namespace?.links.get(token);
    if (namespace !== undefined && link !== undefined) return fileOf(link, namespace);
  }
  return invalidLink();
}

function fileOf({ params, fileName, contentType, expiresAt }: DownloadLink, namespace: NamespaceState): Response {
  const now = namespace.clock.now();
  if (now >= expiresAt) return invalidLink();
  const textOf = fileTexts.get(params.format);
  if (textOf === undefined)
    return refusal(
      501,
      InternalError,
      `No file: the mock writes no ${params.format}; use ${[...fileTexts.keys()].join(" or ")}`,
    );
  try {
    const result = findResult(findRun(namespace, params.queryRunId), now);
    const text = textOf({ columns: result.columns, rows: viewRows(result, params) });
    const file = { "content-type": contentType, "content-disposition": contentDisposition(fileName) };
    return new Response(text, { headers: { ...headers, ...file } });
  } catch (error) {
    if (error instanceof MethodError) return refusal(410, error.code, error.message);
    throw error;
  }
}

function invalidLink(): Response {
  return refusal(403, declaredError("AuthorizationError").code, "Invalid or expired link; request a new one");
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers });
}
