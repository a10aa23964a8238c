import { InvalidRequest } from "@quern/json-rpc/envelope";
import type { NamespaceRegistry } from "../namespace/registry.ts";
import { sha256 } from "../sha256.ts";
import { uploadPath } from "../wire/addresses.ts";
import { declaredError } from "../wire/contract-methods.ts";

const headers = { "access-control-allow-origin": "*", "cache-control": "no-store" };

const preflight = { "access-control-allow-methods": "PUT", "access-control-allow-headers": "*" };

/**
 * Answers a request that sends the file of an upload, which needs no key. The mock keeps no bytes: stubs answer the
 * statements that read the file. Returns undefined for a request to another path.
 */
export function uploadFile(request: Request, namespaces: NamespaceRegistry): Promise<Response> | undefined {
  const { pathname } = new URL(request.url);
  if (!pathname.startsWith(uploadPath)) return undefined;
  return answer(request, `upload_${pathname.slice(uploadPath.length)}`, namespaces);
}

async function answer(request: Request, uploadId: string, namespaces: NamespaceRegistry): Promise<Response> {
  const { method } = request;
  if (method === "OPTIONS") return new Response(null, { status: 204, headers: { ...headers, ...preflight } });
  if (method !== "PUT") return refusal(405, InvalidRequest, `Invalid Request: expected PUT, received ${method}`);
  // A second request must not overtake the body of the first one.
  const bytes = new Uint8Array(await request.arrayBuffer());
  for (const key of namespaces.keys()) {
    const namespace = namespaces.find(key);
    const upload = namespace?.uploads.get(uploadId);
    if (namespace === undefined || upload === undefined) continue;
    if (namespace.clock.now() >= upload.expiresAt) break;
    if (upload.file !== undefined)
      return refusal(409, InvalidRequest, "The file was sent before; create an upload for each file");
    if (bytes.length > upload.maxBytes)
      return refusal(413, InvalidRequest, `The file is larger than ${upload.maxBytes} bytes`);
    namespace.uploads.set(uploadId, { ...upload, file: sha256(new TextDecoder("latin1").decode(bytes)) });
    return new Response(null, { status: 204, headers });
  }
  return refusal(403, declaredError("AuthorizationError").code, "Invalid or expired link; request a new one");
}

function refusal(status: number, code: number, message: string): Response {
  return Response.json({ jsonrpc: "2.0", id: null, error: { code, message } }, { status, headers });
}
