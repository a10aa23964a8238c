import type { IncomingMessage, ServerResponse } from "node:http";
import { InvalidRequest } from "@quern/json-rpc/envelope";
import { MethodError, type RequestHeaders } from "@quern/json-rpc/handler";
import { corsOf, createBodyDiscarder } from "@quern/json-rpc/node";
import type { Clock } from "../common/clock.ts";
import { declaredError } from "../common/declared-error.ts";
import type { Log } from "../common/log.ts";
import { storageFull, toMethodError } from "../common/method-errors.ts";
import { requestIdOf } from "../common/request-context.ts";
import type { DiskGuard } from "../disk/disk-space.ts";
import type { LinkSigner } from "../downloads/link.ts";
import type { KnownCaller } from "../identity/principal.ts";
import type { Telemetry } from "../telemetry/telemetry.ts";
import type { Receipt, Uploads } from "./uploads.ts";

export const uploadPath = "/uploads/";

/** Upload that a link allows. */
export interface LinkedUpload {
  readonly uploadId: string;
  readonly maxBytes: number;
  readonly expiresAt: number;
  /** Caller who requested the link. */
  readonly caller: KnownCaller;
}

export interface UploadRouteDependencies {
  readonly uploads: Uploads;
  readonly uploadLinks: LinkSigner<LinkedUpload>;
  readonly disk: DiskGuard;
  readonly telemetry: Pick<Telemetry, "audited" | "refused">;
  readonly clock: Clock;
}

export interface UploadRouteOptions {
  readonly log: Log;
  /** Returns the headers of a request, and the address of the client. */
  readonly headersOf: (request: IncomingMessage) => RequestHeaders;
  /** Web origins whose pages may upload; undefined is all. */
  readonly allowedOrigins: readonly string[] | undefined;
}

/** Longest time for which the rest of a refused body is discarded, so that the client gets the answer. */
const refusedBodyMs = 5_000;

/** Answer to a PUT that stores nothing. */
interface Refusal {
  readonly status: number;
  readonly code: number;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
}

/**
 * Serves `PUT /uploads/<token>`, which stores the body as the file of an upload. The link is the credential, and is for
 * one file.
 * @returns a function that returns false for a request of another path
 */
export function createUploadRoute(
  { uploads, uploadLinks, disk, telemetry, clock }: UploadRouteDependencies,
  { log, headersOf, allowedOrigins }: UploadRouteOptions,
): (request: IncomingMessage, response: ServerResponse) => boolean {
  const discard = createBodyDiscarder();

  /** Stores the body. Returns the refusal; undefined if the file is stored. */
  async function put(request: IncomingMessage): Promise<Refusal | undefined> {
    const { method, url = "" } = request;
    if (method !== "PUT")
      return invalid(405, `Invalid Request: expected PUT, received ${method}`, { allow: "PUT, OPTIONS" });
    const [path = ""] = url.split("?", 1);
    const link = await uploadLinks.read(path.slice(uploadPath.length), clock.now());
    const actor = { principal: link?.caller, headers: headersOf(request) };
    if (link === undefined) {
      telemetry.refused(actor, { link: true });
      const { code } = declaredError("AuthorizationError");
      return { status: 403, code, message: "Invalid or expired link; request a new one" };
    }
    const { uploadId, maxBytes } = link;
    if (request.headers["content-encoding"] !== undefined)
      return invalid(415, "Unsupported content-encoding: send the bytes of the file");
    if (Number(request.headers["content-length"] ?? 0) > maxBytes) return refusalOf("too large", maxBytes);
    if (!(await disk.hasSpace())) throw storageFull();
    const receipt = await uploads.receive(uploadId, request, maxBytes);
    if (receipt !== "stored") return refusalOf(receipt, maxBytes);
    telemetry.audited(actor, "upload.store", { uploadId });
    return undefined;
  }

  /** Answers before the body has arrived, and discards the rest of it. */
  function refuse(request: IncomingMessage, response: ServerResponse, refusal: Refusal): void {
    const { status, code, message, headers } = refusal;
    const body = JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } });
    const length = String(Buffer.byteLength(body));
    const fixed = { "content-type": "application/json", "content-length": length };
    if (request.complete) return void response.writeHead(status, { ...fixed, ...headers }).end(body);
    response.writeHead(status, { ...fixed, ...headers, connection: "close" }).write(body);
    const closing = setTimeout(() => request.destroy(), refusedBodyMs);
    request.on("close", () => clearTimeout(closing)).on("end", () => response.end());
    discard(request);
  }

  function fail(error: unknown, request: IncomingMessage, response: ServerResponse): void {
    if (request.destroyed || response.headersSent) return void response.destroy(); // the client has disconnected
    const outage = toMethodError(error);
    if (!(outage instanceof MethodError))
      log.error("an upload failed", error, { requestId: requestIdOf(headersOf(request)) });
    const { code, message, httpStatus = 500, headers } = outage instanceof MethodError ? outage : internal;
    refuse(request, response, { status: httpStatus, code, message, headers });
  }

  return (request, response) => {
    if (!request.url?.startsWith(uploadPath)) return false;
    const cors = corsOf(request.headers.origin ?? "", allowedOrigins);
    for (const [name, value] of Object.entries(cors)) response.setHeader(name, value);
    if (request.method === "OPTIONS") {
      const allowed = { "access-control-allow-methods": "PUT", "access-control-allow-headers": "content-type" };
      response.writeHead(204, allowed).end();
      return true;
    }
    put(request)
      .then((refusal) => {
        if (refusal === undefined) response.writeHead(204).end();
        else refuse(request, response, refusal);
      })
      .catch((error: unknown) => fail(error, request, response));
    return true;
  };
}

const internal = new MethodError(-32603, "Internal error: the file could not be stored; try again");

function invalid(status: number, message: string, headers?: Refusal["headers"]): Refusal {
  return { status, code: InvalidRequest, message, headers };
}

function refusalOf(receipt: Exclude<Receipt, "stored">, maxBytes: number): Refusal {
  switch (receipt) {
    case "too large":
      return invalid(413, `The file is larger than ${maxBytes} bytes`);
    case "in progress":
      return invalid(409, "Another request sends the file; create an upload for each file");
    case "sent before":
      return invalid(409, "The file was sent before; create an upload for each file");
    case "gone":
      return invalid(410, "The upload has expired or was removed; create a new one");
  }
}
