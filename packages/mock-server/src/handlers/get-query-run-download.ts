import type { GetQueryRunDownloadParams, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { timestamp } from "@quern/query-run/wire";
import { defaults } from "../generated/defaults.ts";
import { viewRows } from "../results/view.ts";
import { declaredError } from "../wire/contract-methods.ts";
import { type Context, findResult, findRun } from "./lookup.ts";

const linkLifetimeMs = 15 * 60_000;
const contentTypes: ReadonlyMap<string, string> = new Map([
  ["csv", "text/csv; charset=utf-8; header=present"],
  ["ndjson", "application/x-ndjson"],
  ["parquet", "application/vnd.apache.parquet"],
  ["arrow", "application/vnd.apache.arrow.stream"],
]);

/** Returns the link of the OpenRPC document's example, because a mock has no files. Checks the filters and the order. */
export async function getQueryRunDownload(
  { queryRunId, format, ...view }: GetQueryRunDownloadParams,
  { principal }: Context,
): Promise<GetQueryRunDownloadResult> {
  const run = findRun(principal, queryRunId);
  const contentType = contentTypes.get(format);
  if (contentType === undefined)
    throw declaredError("ResultFormatNotSupported", { supported: [...contentTypes.keys()] });
  await run.update();
  const now = principal.clock.now();
  viewRows(findResult(run, now), view);
  const { url } = defaults.getQueryRunDownload;
  return {
    url,
    expiresAt: timestamp(Math.min(now + linkLifetimeMs, run.record.expiresAt ?? now + linkLifetimeMs)),
    contentType,
  };
}
