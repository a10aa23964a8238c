import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import { declaredError } from "../common/declared-error.ts";
import type { Principal } from "./principal.ts";
import type { LimitsOf } from "./tenant-limits.ts";

export interface Rate {
  readonly requestsPerSecond: number;
  /** Requests that a key may send at once after a pause. */
  readonly burst: number;
}

/** Counts one HTTP request of a key; a batch is one request. @throws {MethodError} RateLimited with HTTP status 429 */
export type RateLimit = (apiKeyId: string) => void;

/** Creates a token bucket of `burst` tokens for each key, refilled at its rate. @throws on an invalid rate */
export function createRateLimit({ requestsPerSecond, burst }: Rate, clock: Clock): RateLimit {
  if (!(requestsPerSecond > 0))
    throw new Error(`Invalid requestsPerSecond: expected a number above 0, got ${requestsPerSecond}.`);
  if (!(burst >= 1)) throw new Error(`Invalid burst: expected at least 1, got ${burst}.`);
  const tokenMs = 1_000 / requestsPerSecond;
  const fullAt = new Map<string, Instant>();
  return (apiKeyId) => {
    const now = clock.now();
    // At most a whole bucket is missing, even after the clock was set back.
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

/** Counts one HTTP request of a caller. @throws {MethodError} RateLimited with HTTP status 429 */
export type TenantRates = (principal: Principal) => Promise<void>;

/**
 * Creates a rate limit for each key, at the rate of its tenant. A change of the rate refills the buckets of the tenant.
 */
export function createTenantRates(limitsOf: LimitsOf, clock: Clock): TenantRates {
  const rates = new Map<string, { readonly rate: string; readonly limit: RateLimit }>();
  return async ({ tenantId, apiKeyId }) => {
    const { requestsPerSecond, requestBurst } = await limitsOf(tenantId);
    if (requestsPerSecond === undefined) return;
    const burst = requestBurst ?? Math.ceil(requestsPerSecond);
    const rate = `${requestsPerSecond} ${burst}`;
    let current = rates.get(tenantId);
    if (current?.rate !== rate) {
      current = { rate, limit: createRateLimit({ requestsPerSecond, burst }, clock) };
      rates.set(tenantId, current);
    }
    current.limit(apiKeyId);
  };
}
