import type { CreateOptions } from "../run/create-run.ts";
import type { PageRequest } from "./result-rows.ts";

/** A statement, and how it is run and read. */
export interface Query extends PageRequest {
  sql: string;
  /** Age up to which an existing result will do; 0 by default. */
  maxAgeMinutes?: number | undefined;
  /** How long the result is kept, in whole hours upward; 60 by default, and never less than `maxAgeMinutes`. */
  ttlMinutes?: number | undefined;
  /** `false` runs the statement whatever `maxAgeMinutes` says. */
  cached?: boolean | undefined;
  /** Time until the query is given up and withdrawn; 20 by default. */
  timeoutMinutes?: number | undefined;
  /** Without effect: all waiting runs are watched together. */
  retryIntervalSeconds?: number | string | undefined;
  sdkPackage?: string | undefined;
  sdkVersion?: string | undefined;
  dataSource?: string | undefined;
  dataProvider?: string | undefined;
}

/** What the run of a query is created from. What is null, empty or 0 counts as left out. */
export function createOptions(query: Query): CreateOptions {
  const maxAgeMinutes = query.cached === false ? 0 : query.maxAgeMinutes || 0;
  return {
    sql: query.sql,
    maxAgeMinutes,
    resultTTLHours: Math.max(1, Math.ceil(Math.max(query.ttlMinutes || 60, maxAgeMinutes) / 60)),
    tags: {
      sdk_language: "javascript",
      sdk_package: query.sdkPackage || "js",
      sdk_version: query.sdkVersion || null,
    },
    dataSource: query.dataSource || undefined,
    dataProvider: query.dataProvider || undefined,
  };
}
