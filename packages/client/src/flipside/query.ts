import type { CreateOptions } from "../index.ts";
import type { PageRequest } from "./result-rows.ts";

/** A statement, and how it is run and read. */
export interface Query extends PageRequest {
  readonly sql: string;
  /** Age up to which an existing result will do; 0 by default. */
  readonly maxAgeMinutes?: number | undefined;
  /** How long the result is kept, in whole hours upward; 60 by default, and never less than `maxAgeMinutes`. */
  readonly ttlMinutes?: number | undefined;
  /** `false` runs the statement whatever `maxAgeMinutes` says. */
  readonly cached?: boolean | undefined;
  /** Time until the query is given up and withdrawn; 20 by default. */
  readonly timeoutMinutes?: number | undefined;
  /** Without effect: all waiting runs are watched together. */
  readonly retryIntervalSeconds?: number | string | undefined;
  readonly sdkPackage?: string | undefined;
  readonly sdkVersion?: string | undefined;
  readonly dataSource?: string | undefined;
  readonly dataProvider?: string | undefined;
}

/** What the run of a query is created from. */
export function createOptions(query: Query): CreateOptions {
  const { sql, cached = true, ttlMinutes = 60, sdkPackage = "js", sdkVersion = null, dataSource, dataProvider } = query;
  const maxAgeMinutes = cached ? (query.maxAgeMinutes ?? 0) : 0;
  return {
    sql,
    maxAgeMinutes,
    resultTTLHours: Math.max(1, Math.ceil(Math.max(ttlMinutes, maxAgeMinutes) / 60)),
    tags: { sdk_language: "javascript", sdk_package: sdkPackage, sdk_version: sdkVersion },
    dataSource,
    dataProvider,
  };
}
