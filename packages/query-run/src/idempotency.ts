import type { CancelQueryRunParams, CreateQueryRunParams } from "@quern/protocol/types";
import { canonicalJson } from "./canonical-json.ts";
import type { Instant } from "./record.ts";
import type { LimitIssue } from "./sql-limits.ts";

/** Time for which an idempotency key is remembered, in milliseconds: 24 hours. */
export const idempotencyMs = 86_400_000;

/** Tells whether an idempotency key that was used or withdrawn at the instant `at` is still remembered. */
export function isRemembered(at: Instant, now: Instant): boolean {
  return now - at < idempotencyMs;
}

/**
 * Returns the text that two calls with one idempotency key must share. `waitSeconds` and `results` may differ, because
 * they do not change the request.
 */
export function idempotencyText({ waitSeconds: _, results: __, ...members }: CreateQueryRunParams): string {
  return canonicalJson(members);
}

/**
 * Returns the issues of a `cancelQueryRun` call that its schema cannot express: it must have exactly one of
 * `queryRunId` and `idempotencyKey`, and `queryRequestId` only together with `queryRunId`.
 */
export function withdrawalIssues({ queryRunId, queryRequestId, idempotencyKey }: CancelQueryRunParams): LimitIssue[] {
  if (idempotencyKey === undefined) {
    if (queryRunId !== undefined) return [];
    return [{ pointer: "/queryRunId", expected: "queryRunId or idempotencyKey", received: "neither" }];
  }
  const extra = queryRunId === undefined ? queryRequestId : queryRunId;
  if (extra === undefined) return [];
  const pointer = queryRunId === undefined ? "/queryRequestId" : "/idempotencyKey";
  const expected = queryRunId === undefined ? "queryRequestId only with queryRunId" : "queryRunId or idempotencyKey";
  return [{ pointer, expected, received: queryRunId === undefined ? "queryRequestId with idempotencyKey" : "both" }];
}
