import type { RunPage } from "@quern/adapter";
import type { Instant, RunRecord } from "@quern/query-run/record";
import { toQueryRun, type WaitReasons } from "@quern/query-run/wire";

const utf8 = new TextEncoder();

/**
 * Returns a page of a list of runs.
 * @param records records of the runs as JSON texts, without their parameters
 * @param limit maximum number of runs; a further record means that there is another page
 */
export function runPage(records: readonly string[], limit: number, now: Instant, reasons: WaitReasons): RunPage {
  let next: RunPage["next"] = null;
  const texts = records.slice(0, limit).map((record) => {
    const run = JSON.parse(record) as Omit<RunRecord, "parameters">; // only this store writes records
    if (records.length > limit) next = { createdAt: run.createdAt, id: run.id };
    return JSON.stringify(toQueryRun(run, now, reasons));
  });
  return { json: utf8.encode(`[${texts.join(",")}]`), next };
}
