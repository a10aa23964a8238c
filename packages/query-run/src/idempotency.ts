import type { CancelQueryRunParams, CreateQueryRunParams } from "@quern/protocol/types";
import { canonicalJson } from "./canonical-json.ts";
import type { LimitIssue } from "./limits.ts";
import type { Instant } from "./record.ts";

/** For so long calls with equal idempotency keys are one call. */
export const idempotencyMs = 86_400_000;

/** Returns true while a key that was used or withdrawn at an instant is remembered. */
export function isRemembered(at: Instant, now: Instant): boolean {
  return now - at < idempotencyMs;
}

/** What two calls with one idempotency key must have in common. How long a caller waits is not part of what it asks for. */
export function idempotencyText({ waitSeconds: _, ...members }: CreateQueryRunParams): string {
  return canonicalJson(members);
}

/** Checks that a withdrawal has exactly one of `queryRunId` and `idempotencyKey`, which the schema does not require. */
export function withdrawalIssues({ queryRunId, queryRequestId, idempotencyKey }: CancelQueryRunParams): LimitIssue[] {
  if (idempotencyKey === undefined) {
    if (queryRunId !== undefined) return [];
    return [{ pointer: "/queryRunId", expected: "queryRunId or idempotencyKey", received: "neither" }];
  }
  const extra = queryRunId === undefined ? queryRequestId : queryRunId;
  if (extra === undefined) return [];
  const pointer = queryRunId === undefined ? "/queryRequestId" : "/idempotencyKey";
  const expected = queryRunId === undefined ? "queryRequestId only with queryRunId" : "queryRunId or idempotencyKey";
  return [{ pointer, expected, received: "both" }];
}
