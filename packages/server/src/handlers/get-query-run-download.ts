import { createHash, randomBytes } from "node:crypto";
import type { GetQueryRunDownloadParams, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { contentTypes, downloadFormats, isDownloadFormat } from "@quern/query-run/download-format";
import { downloadFileName } from "@quern/query-run/file-name";
import type { Instant, ResultColumn, RunRecord } from "@quern/query-run/record";
import { timestamp } from "@quern/query-run/wire";
import { declaredError } from "../common/declared-error.ts";
import { storageFull } from "../common/method-errors.ts";
import { baseUrlOf } from "../common/request-context.ts";
import { downloadPath } from "../downloads/download-route.ts";
import { maxLinkMs } from "../downloads/link.ts";
import type { Context, Service } from "./context.ts";
import { findResult, findRun } from "./lookup.ts";
import { findView, type PageDependencies, resultPage } from "./result-page.ts";

type Dependencies = PageDependencies &
  Pick<Service, "disk" | "links" | "publicUrl" | "singleUseLinks" | "store" | "telemetry">;

export async function getQueryRunDownload(
  params: GetQueryRunDownloadParams,
  context: Context,
  service: Dependencies,
): Promise<GetQueryRunDownloadResult> {
  const { principal } = context;
  const { format } = params;
  const { store, clock, links, singleUseLinks, publicUrl, telemetry } = service;
  const run = await findRun(store.runs, principal, params.queryRunId);
  if (!isDownloadFormat(format)) throw declaredError("ResultFormatNotSupported", { supported: downloadFormats });
  const now = clock.now();
  const { columns } = findResult(run, now);
  const expiresAt = Math.min(now + maxLinkMs, run.expiresAt ?? Number.POSITIVE_INFINITY);
  const { tenantId, userId, apiKeyId } = principal;
  const reader = { tenantId, userId, apiKeyId };
  const view = await keepView(run, columns, params, expiresAt, context, service);
  const fileName = params.fileName && downloadFileName(params.fileName, run.id, format);
  const token = await links.token({
    ...(singleUseLinks && { id: randomBytes(16).toString("base64url") }),
    ...(view && { view }),
    ...(fileName && { fileName }),
    runId: run.id,
    format,
    expiresAt,
    reader,
  });
  telemetry.audited(context, "result.link", { runId: run.id, format });
  return {
    url: `${publicUrl ?? baseUrlOf(context.headers)}${downloadPath}${token}`,
    expiresAt: timestamp(expiresAt),
    contentType: contentTypes[format],
  };
}

/**
 * Keeps the filters and the order of a link. Returns their id, which is the same for the same ones; undefined without any.
 * @throws {MethodError} the errors that a page with these filters and this order has
 */
async function keepView(
  run: RunRecord,
  columns: readonly ResultColumn[],
  { filters, sortBy }: GetQueryRunDownloadParams,
  expiresAt: Instant,
  context: Context,
  service: Dependencies,
): Promise<string | undefined> {
  if ((filters ?? []).length === 0 && (sortBy ?? []).length === 0) return undefined;
  // A page without rows counts those that meet the filters: a value that cannot be compared is an error of this call.
  await resultPage(run, { filters, sortBy, page: { number: 1, size: 0 } }, context, service);
  const text = JSON.stringify(findView(columns, { filters, sortBy }));
  const id = createHash("sha256").update(text).digest("base64url");
  if (!(await service.disk.hasSpace())) throw storageFull();
  await service.store.links.keepView(id, text, expiresAt);
  return id;
}
