import { canonicalJson } from "./canonical-json.ts";
import { type Instant, isFinal, type Parameters, type RunRecord } from "./record.ts";
import { isExpired } from "./retention.ts";

const minuteMs = 60_000;

export interface ReuseKeyParts {
  readonly tenantId: string;
  readonly dataProvider: string;
  readonly dataSource: string;
  /** Changes whenever the data behind the source does. */
  readonly dataSourceRevision: string;
  readonly sql: string;
  readonly parameters: Parameters | null;
  /** Who asks, where the source shows each user other data. Left out, users of one tenant share runs. */
  readonly userId?: string | undefined;
}

/** The SQL as reuse compares it: the bytes without trailing white space and one trailing semicolon, nothing else. */
export function normalizedSql(sql: string): string {
  return sql.trimEnd().replace(/;$/, "").trimEnd();
}

/** The text to hash: two runs whose texts are equal give the same result. Named parameters have no order. */
export function reuseKeyText(parts: ReuseKeyParts): string {
  const { tenantId, dataProvider, dataSource, dataSourceRevision, sql, parameters, userId } = parts;
  const shared = [tenantId, dataProvider, dataSource, dataSourceRevision, normalizedSql(sql), parameters];
  return canonicalJson(userId === undefined ? shared : [...shared, userId]);
}

/** Whether a finished run may answer a request that accepts results up to `maxAgeMinutes` old, inclusive. */
export function isReusable(run: RunRecord, maxAgeMinutes: number, now: Instant): boolean {
  if (maxAgeMinutes === 0 || run.state !== "QUERY_STATE_SUCCESS" || run.endedAt === null) return false;
  return !isExpired(run, now) && now - run.endedAt <= maxAgeMinutes * minuteMs;
}

/** Whether a request may wait for a run that somebody else has started. */
export function isJoinable(run: RunRecord, maxAgeMinutes: number): boolean {
  return maxAgeMinutes > 0 && !isFinal(run.state);
}

/** The run that answers a request among those with its reuse key: the newest result, else a run under way. */
export function chooseRun(runs: Iterable<RunRecord>, maxAgeMinutes: number, now: Instant): RunRecord | undefined {
  let result: RunRecord | undefined;
  let underWay: RunRecord | undefined;
  for (const run of runs) {
    if (isReusable(run, maxAgeMinutes, now)) {
      if (result === undefined || (run.endedAt ?? 0) > (result.endedAt ?? 0)) result = run;
    } else if (isJoinable(run, maxAgeMinutes)) {
      underWay ??= run;
    }
  }
  return result ?? underWay;
}
