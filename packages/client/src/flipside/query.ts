import type { CreateOptions } from "../run/create-run.ts";
import type { PageRequest } from "./result-rows.ts";

/** Statement with its options. */
export interface Query extends PageRequest {
  sql: string;
  /**
   * Maximum age of an existing result to reuse, in minutes.
   * @default 0
   */
  maxAgeMinutes?: number | undefined;
  /**
   * Retention of the result in minutes, rounded up to whole hours; at least `maxAgeMinutes`.
   * @default 60
   */
  ttlMinutes?: number | undefined;
  /**
   * `false` runs the statement anew, whatever `maxAgeMinutes` is.
   * @default true
   */
  cached?: boolean | undefined;
  /**
   * Time limit in minutes for creating the run, executing it and reading its rows. A query that exceeds it is
   * withdrawn.
   * @default 20
   */
  timeoutMinutes?: number | undefined;
  /** Has no effect: the client polls all unfinished runs together. */
  retryIntervalSeconds?: number | string | undefined;
  sdkPackage?: string | undefined;
  sdkVersion?: string | undefined;
  dataSource?: string | undefined;
  dataProvider?: string | undefined;
}

/**
 * Returns the parameters of `createQueryRun`. For optional members null, an empty string and 0 count as missing, as in
 * the old client.
 */
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
