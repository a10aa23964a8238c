import { archivedSince } from "@quern/query-run/retention";
import { timestamp } from "@quern/query-run/wire";
import type { ResultSet } from "../results/result-set.ts";
import type { MockRun } from "../runs/mock-run.ts";
import { declaredError } from "../wire/declared-error.ts";

/** @throws MethodError while there is no result, and when it is no longer kept. */
export function storedResult({ record, result }: MockRun, now: number): ResultSet {
  if (result === undefined) throw declaredError("QueryRunNotFinished", { state: record.state });
  const archivedAt = archivedSince(record, now);
  if (archivedAt === null) return result;
  throw declaredError("QueryRunResultsExpired", { archivedAt: timestamp(archivedAt) });
}
