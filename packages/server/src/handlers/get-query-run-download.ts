import { contentTypes, downloadFormats, isDownloadFormat } from "@quern/duckdb";
import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { GetQueryRunDownloadParams, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { timestamp } from "@quern/query-run/wire";
import { declaredError } from "../common/declared-error.ts";
import { downloadPath } from "../downloads/download-route.ts";
import { maxLinkMs } from "../downloads/link.ts";
import type { Context } from "./context.ts";
import { findRun, findResult } from "./lookup.ts";
import type { Service } from "./service.ts";

export async function getQueryRunDownload(
  { queryRunId, format }: GetQueryRunDownloadParams,
  context: Context,
  { store, clock, links, publicUrl, telemetry }: Service,
): Promise<GetQueryRunDownloadResult> {
  const { principal } = context;
  const run = await findRun(store.runs, principal, queryRunId);
  if (!isDownloadFormat(format)) throw declaredError("ResultFormatNotSupported", { supported: downloadFormats });
  const now = clock.now();
  findResult(run, now);
  const expiresAt = Math.min(now + maxLinkMs, run.expiresAt ?? Number.POSITIVE_INFINITY);
  const { tenantId, userId, apiKeyId } = principal;
  const token = await links.token({ runId: run.id, format, expiresAt, reader: { tenantId, userId, apiKeyId } });
  telemetry.audited(context, "result.link", { runId: run.id, format });
  return {
    url: `${publicUrl ?? addressOf(context.headers)}${downloadPath}${token}`,
    expiresAt: timestamp(expiresAt),
    contentType: contentTypes[format],
  };
}

/** The service as its caller knows it. */
function addressOf(headers: RequestHeaders): string {
  const host = headers.get("host");
  if (host === null) return "";
  // A proxy that ends TLS says so; a caller who claims it spoils their own link.
  const scheme = headers.get("x-forwarded-proto") === "https" ? "https" : "http";
  return `${scheme}://${host}`;
}
