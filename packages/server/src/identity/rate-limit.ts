import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import { declaredError } from "../common/declared-error.ts";

export interface Rate {
  readonly requestsPerSecond: number;
  /** Requests that may come at once after a pause. */
  readonly burst: number;
}

/** Counts one HTTP request of a key, a batch as one. @throws {MethodError} RateLimited with HTTP status 429 */
export type RateLimit = (apiKeyId: string) => void;

/** A bucket of `burst` tokens for each key, filled at its rate. */
export function createRateLimit({ requestsPerSecond, burst }: Rate, clock: Clock): RateLimit {
  if (!(requestsPerSecond > 0 && burst >= 1))
    throw new Error("A rate is above 0, and its burst is at least 1 request.");
  const tokenMs = 1_000 / requestsPerSecond;
  const fullAt = new Map<string, Instant>();
  return (apiKeyId) => {
    const now = clock.now();
    // At most a whole bucket is missing, also where the clock was set back.
    const missingMs = Math.min(Math.max((fullAt.get(apiKeyId) ?? now) - now, 0), burst * tokenMs);
    const waitMs = Math.ceil(missingMs - (burst - 1) * tokenMs);
    if (waitMs > 0) throw rateLimited(waitMs);
    fullAt.set(apiKeyId, now + missingMs + tokenMs);
  };
}

function rateLimited(retryAfterMs: number): Error {
  const headers = { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  return declaredError("RateLimited", { retryAfterMs }, { httpStatus: 429, headers });
}
