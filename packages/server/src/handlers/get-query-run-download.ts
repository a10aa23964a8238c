import { randomBytes } from "node:crypto";
import { contentTypes, downloadFormats, isDownloadFormat } from "@quern/duckdb";
import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { GetQueryRunDownloadParams, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { timestamp } from "@quern/query-run/wire";
import { declaredError } from "../common/declared-error.ts";
import { downloadPath } from "../downloads/download-route.ts";
import { maxLinkMs } from "../downloads/link.ts";
import type { Context, Service } from "./context.ts";
import { findResult, findRun } from "./lookup.ts";

export async function getQueryRunDownload(
  { queryRunId, format }: GetQueryRunDownloadParams,
  context: Context,
  {
    store,
    clock,
    links,
    singleUseLinks,
    publicUrl,
    telemetry,
  }: Pick<Service, "clock" | "links" | "publicUrl" | "singleUseLinks" | "store" | "telemetry">,
): Promise<GetQueryRunDownloadResult> {
  const { principal } = context;
  const run = await findRun(store.runs, principal, queryRunId);
  if (!isDownloadFormat(format)) throw declaredError("ResultFormatNotSupported", { supported: downloadFormats });
  const now = clock.now();
  findResult(run, now);
  const expiresAt = Math.min(now + maxLinkMs, run.expiresAt ?? Number.POSITIVE_INFINITY);
  const { tenantId, userId, apiKeyId } = principal;
  const reader = { tenantId, userId, apiKeyId };
  const singleUse = singleUseLinks && { id: randomBytes(16).toString("base64url") };
  const token = await links.token({ ...singleUse, runId: run.id, format, expiresAt, reader });
  telemetry.audited(context, "result.link", { runId: run.id, format });
  return {
    url: `${publicUrl ?? baseUrlOf(context.headers)}${downloadPath}${token}`,
    expiresAt: timestamp(expiresAt),
    contentType: contentTypes[format],
  };
}

/**
 * Returns the base URL under which the client reaches the service; an empty text if the request has no `host` header.
 */
function baseUrlOf(headers: RequestHeaders): string {
  const host = headers.get("host");
  if (host === null) return "";
  // A proxy that terminates TLS sets the header. A client that forges it breaks its own link only.
  const scheme = headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${host}`;
}
