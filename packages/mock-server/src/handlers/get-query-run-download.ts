import type { GetQueryRunDownloadParams, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { contentTypes, downloadFormats, isDownloadFormat } from "@quern/query-run/download-format";
import { downloadFileName } from "@quern/query-run/file-name";
import { timestamp } from "@quern/query-run/wire";
import { viewRows } from "../results/view.ts";
import { downloadPath } from "../wire/addresses.ts";
import { declaredError } from "../wire/contract-methods.ts";
import { type Context, findResult, findRun } from "./lookup.ts";

const linkLifetimeMs = 15 * 60_000;

/**
 * Returns a link to the rows. It is relative to the address of the mock, which does not know where it is reached. The mock
 * writes files of CSV and JSON Lines only.
 */
export async function getQueryRunDownload(
  params: GetQueryRunDownloadParams,
  { principal }: Context,
): Promise<GetQueryRunDownloadResult> {
  const { queryRunId, format, fileName } = params;
  const run = findRun(principal, queryRunId);
  if (!isDownloadFormat(format)) throw declaredError("ResultFormatNotSupported", { supported: downloadFormats });
  await run.update();
  const now = principal.clock.now();
  viewRows(findResult(run, now), params);
  const expiresAt = Math.min(now + linkLifetimeMs, run.record.expiresAt ?? now + linkLifetimeMs);
  const token = crypto.randomUUID();
  const name = downloadFileName(fileName ?? "", queryRunId, format);
  const contentType = contentTypes[format];
  principal.links.set(token, { params, fileName: name, contentType, expiresAt });
  return { url: `${downloadPath}${token}`, expiresAt: timestamp(expiresAt), contentType };
}
