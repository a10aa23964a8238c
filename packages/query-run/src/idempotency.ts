import type { CreateQueryRunParams } from "@quern/protocol/types";
import { canonicalJson } from "./canonical-json.ts";

/** For so long calls with equal idempotency keys are one call. */
export const idempotencyMs = 86_400_000;

/** What two calls with one idempotency key must have in common. How long a caller waits is not part of what it asks for. */
export function idempotencyText({ waitSeconds: _, ...members }: CreateQueryRunParams): string {
  return canonicalJson(members);
}
