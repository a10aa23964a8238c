import type { GetQueryRunDownloadParams, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { downloadFileName } from "@quern/query-run/file-name";
import { timestamp } from "@quern/query-run/wire";
import { viewRows } from "../results/view.ts";
import { declaredError } from "../wire/contract-methods.ts";
import { downloadPath } from "./download-file.ts";
import { type Context, findResult, findRun } from "./lookup.ts";

const linkLifetimeMs = 15 * 60_000;
const contentTypes: ReadonlyMap<string, readonly [contentType: string, ending: string]> = new Map([
  ["csv", ["text/csv; charset=utf-8; header=present", "csv"]],
  ["ndjson", ["application/x-ndjson", "ndjson"]],
  ["parquet", ["application/vnd.apache.parquet", "parquet"]],
  ["arrow", ["application/vnd.apache.arrow.stream", "arrows"]],
]);

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
  const [contentType, ending] = contentTypes.get(format) ?? [];
  if (contentType === undefined || ending === undefined)
    throw declaredError("ResultFormatNotSupported", { supported: [...contentTypes.keys()] });
  await run.update();
  const now = principal.clock.now();
  viewRows(findResult(run, now), params);
  const expiresAt = Math.min(now + linkLifetimeMs, run.record.expiresAt ?? now + linkLifetimeMs);
  const token = crypto.randomUUID();
  const name = downloadFileName(fileName ?? "", queryRunId, ending);
  principal.links.set(token, { params, fileName: name, contentType, expiresAt });
  return { url: `${downloadPath}${token}`, expiresAt: timestamp(expiresAt), contentType };
}
