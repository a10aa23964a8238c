import { setImmediate as yieldToEventLoop } from "node:timers/promises";
import type { RunPage } from "@quern/adapter";
import type { Instant, RunRecord } from "@quern/query-run/record";
import { toQueryRun, type WaitReasons } from "@quern/query-run/wire";
import type { Row } from "./database.ts";
import { parsed } from "./run-records.ts";

const utf8 = new TextEncoder();
/** Number of runs that are converted before the event loop serves others. */
const sliceSize = 100;

/**
 * Returns a page of a list of runs.
 * @param rows rows with the records of the runs
 * @param limit maximum number of runs; a further row means that there is another page
 */
export async function runPage(
  rows: readonly Row[],
  limit: number,
  now: Instant,
  reasons: WaitReasons,
): Promise<RunPage> {
  const texts: string[] = [];
  let next: RunPage["next"] = null;
  for (const { record } of rows.slice(0, limit)) {
    const run = parsed<Omit<RunRecord, "parameters">>(record);
    texts.push(JSON.stringify(toQueryRun(run, now, reasons)));
    if (rows.length > limit) next = { createdAt: run.createdAt, id: run.id };
    if (texts.length % sliceSize === 0) await yieldToEventLoop();
  }
  return { json: utf8.encode(`[${texts.join(",")}]`), next };
}
