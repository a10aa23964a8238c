import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import { declaredError } from "../common/declared-error.ts";
import type { Principal } from "./principal.ts";
import type { LimitsOf } from "./tenant-limits.ts";

export interface Rate {
  readonly requestsPerSecond: number;
  /** Calls that a key may send at once after a pause. */
  readonly burst: number;
}

/** Takes a token from the bucket of a key. Returns 0, or the milliseconds until the bucket has one. */
export type TokenBuckets = (key: string) => number;

/**
 * Largest number of buckets that are not full. Beyond it, the bucket that was used the longest ago is forgotten, so that
 * a client with many keys or addresses cannot fill the memory.
 */
const maxBuckets = 100_000;

/** Creates a token bucket of `burst` tokens for each key, refilled at its rate. @throws on an invalid rate */
export function createTokenBuckets({ requestsPerSecond, burst }: Rate, clock: Clock): TokenBuckets {
  if (!(requestsPerSecond > 0))
    throw new Error(`Invalid requestsPerSecond: expected a number above 0, got ${requestsPerSecond}.`);
  if (!(burst >= 1)) throw new Error(`Invalid burst: expected at least 1, got ${burst}.`);
  const tokenMs = 1_000 / requestsPerSecond;
  const fullAt = new Map<string, Instant>();
  return (key) => {
    const now = clock.now();
    // At most a whole bucket is missing, even after the clock was set back.
    const missingMs = Math.min(Math.max((fullAt.get(key) ?? now) - now, 0), burst * tokenMs);
    const waitMs = Math.ceil(missingMs - (burst - 1) * tokenMs);
    if (waitMs > 0) return waitMs;
    // Deleted first, so that the map has the buckets in the order of their last use.
    fullAt.delete(key);
    fullAt.set(key, now + missingMs + tokenMs);
    for (const [oldest, full] of fullAt) {
      if (full > now && fullAt.size <= maxBuckets) break;
      fullAt.delete(oldest);
    }
    return 0;
  };
}

/** Counts one call of a key. @throws {MethodError} RateLimited with HTTP status 429 */
export type RateLimit = (apiKeyId: string) => void;

/** Longest time over which the retries of refused calls are spread, in milliseconds. */
const maxSpreadMs = 60_000;

/**
 * Creates a rate limit for each key. Each refused call of a key is told to retry one token later than the one before:
 * the refused calls of a batch would otherwise all come back at once, and all but one would be refused again.
 * @throws on an invalid rate
 */
export function createRateLimit(rate: Rate, clock: Clock): RateLimit {
  const take = createTokenBuckets(rate, clock);
  const tokenMs = 1_000 / rate.requestsPerSecond;
  /** Time at which the last refused call of each key may be retried. */
  const retryAt = new Map<string, Instant>();

  /** Returns the time that a refused call has to wait, in milliseconds. @param waitMs time until the next token */
  function spread(apiKeyId: string, waitMs: number): number {
    const now = clock.now();
    const next = Math.ceil((retryAt.get(apiKeyId) ?? Number.NEGATIVE_INFINITY) + tokenMs);
    const spreadMs = next - now - waitMs;
    const retryMs = spreadMs > 0 && spreadMs <= maxSpreadMs ? next - now : waitMs;
    // Deleted first, so that the map has the keys in the order of their last refused call.
    retryAt.delete(apiKeyId);
    retryAt.set(apiKeyId, now + retryMs);
    for (const [oldest, at] of retryAt) {
      if (at + tokenMs > now) break;
      retryAt.delete(oldest);
    }
    return retryMs;
  }

  return (apiKeyId) => {
    const waitMs = take(apiKeyId);
    if (waitMs > 0) throw rateLimited(spread(apiKeyId, waitMs));
  };
}

/** Returns the error RateLimited with HTTP status 429. */
export function rateLimited(retryAfterMs: number): Error {
  const headers = { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  return declaredError("RateLimited", { retryAfterMs }, { httpStatus: 429, headers });
}

/** Counts one call of a caller. @throws {MethodError} RateLimited with HTTP status 429 */
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
