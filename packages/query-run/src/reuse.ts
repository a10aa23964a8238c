import { canonicalJson } from "./canonical-json.ts";
import { type Instant, isFinal, type Parameters, type RunRecord } from "./record.ts";
import { isExpired } from "./retention.ts";
import type { RunUpload } from "./upload.ts";

const minuteMs = 60_000;

/** Properties that two runs must share for the result of one to answer the other. */
export interface ReuseKeyParts {
  readonly tenantId: string;
  readonly dataProvider: string;
  readonly dataSource: string;
  /** Revision of the data; it changes with the data. */
  readonly dataSourceRevision: string;
  readonly sql: string;
  readonly parameters: Parameters | null;
  /** User, if the data that a statement reads depends on the user. If undefined, the users of a tenant share runs. */
  readonly userId?: string | undefined;
  /** Files that the statement reads. Only their names, formats and bytes matter. @default none */
  readonly uploads?: readonly Omit<RunUpload, "id">[] | undefined;
}

/** Returns the SQL without trailing white space and one trailing semicolon; nothing else is normalized. */
export function normalizedSql(sql: string): string {
  return sql.trimEnd().replace(/;$/, "").trimEnd();
}

/**
 * Returns the text of a reuse key, to be hashed: the result of a run can answer requests with an equal text. The order
 * of named parameters is ignored.
 */
export function reuseKeyText(parts: ReuseKeyParts): string {
  const { tenantId, dataProvider, dataSource, dataSourceRevision, sql, parameters, userId, uploads } = parts;
  const shared = [tenantId, dataProvider, dataSource, dataSourceRevision, normalizedSql(sql), parameters];
  const files = uploads?.map(({ name, format, sha256 }) => [name.toLowerCase(), format, sha256].join("/")).sort();
  if (files !== undefined) return canonicalJson([...shared, userId ?? null, files]);
  return canonicalJson(userId === undefined ? shared : [...shared, userId]);
}

/** Tells whether the result of a run may answer a request that accepts results up to `maxAgeMinutes` old, inclusive. */
export function isReusable(run: RunRecord, maxAgeMinutes: number, now: Instant): boolean {
  if (maxAgeMinutes === 0 || run.state !== "QUERY_STATE_SUCCESS" || run.endedAt === null) return false;
  return !isExpired(run, now) && now - run.endedAt <= maxAgeMinutes * minuteMs;
}

/** Tells whether a request may share a run: the run has not ended, and `maxAgeMinutes` of the request is above 0. */
export function isJoinable(run: RunRecord, maxAgeMinutes: number): boolean {
  return maxAgeMinutes > 0 && !isFinal(run.state);
}

/**
 * Returns the run that answers a request: the newest reusable result, else the first unfinished run; undefined for
 * neither.
 */
export function chooseRun(runs: Iterable<RunRecord>, maxAgeMinutes: number, now: Instant): RunRecord | undefined {
  let result: RunRecord | undefined;
  let unfinished: RunRecord | undefined;
  for (const run of runs) {
    if (isReusable(run, maxAgeMinutes, now)) {
      if (result === undefined || (run.endedAt ?? 0) > (result.endedAt ?? 0)) result = run;
    } else if (isJoinable(run, maxAgeMinutes)) {
      unfinished ??= run;
    }
  }
  return result ?? unfinished;
}
