import type { GetQueryRunDownloadParams, GetQueryRunDownloadResult } from "@quern/protocol/types";
import { timestamp } from "@quern/query-run/wire";
import { defaults } from "../generated/defaults.ts";
import { declaredError } from "../wire/declared-error.ts";
import { type Context, foundRun, keptResult } from "./found.ts";

const linkMs = 15 * 60_000;
const contentTypes: ReadonlyMap<string, string> = new Map([
  ["csv", "text/csv; charset=utf-8; header=present"],
  ["ndjson", "application/x-ndjson"],
  ["parquet", "application/vnd.apache.parquet"],
  ["arrow", "application/vnd.apache.arrow.stream"],
]);

/** Gives the link of the document's example: a mock keeps no files. */
export async function getQueryRunDownload(
  { queryRunId, format }: GetQueryRunDownloadParams,
  { principal }: Context,
): Promise<GetQueryRunDownloadResult> {
  const run = foundRun(principal, queryRunId);
  const contentType = contentTypes.get(format);
  if (contentType === undefined)
    throw declaredError("ResultFormatNotSupported", { supported: [...contentTypes.keys()] });
  await run.look();
  const now = principal.clock.now();
  keptResult(run, now);
  const { url } = defaults.getQueryRunDownload;
  return { url, expiresAt: timestamp(Math.min(now + linkMs, run.record.expiresAt ?? now + linkMs)), contentType };
}
