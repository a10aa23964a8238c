import type { RateStore } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import type { Clock } from "../common/clock.ts";
import { declaredError } from "../common/declared-error.ts";
import type { Principal } from "./principal.ts";
import type { LimitsOf, TenantLimits } from "./tenant-limits.ts";

/** Longest time over which the retries of refused calls are spread, in milliseconds. */
const maxSpreadMs = 60_000;

/**
 * Returns the time that a refused call of a key has to wait, in milliseconds.
 * @param waitMs time until the next token
 * @param tokenMs time between two tokens
 */
type RetrySpread = (key: string, waitMs: number, tokenMs: number) => number;

/**
 * Creates a function that tells each refused call of a key to retry one token later than the one before: the refused
 * calls of a batch would otherwise all come back at once, and all but one would be refused again.
 */
function createRetrySpread(clock: Clock): RetrySpread {
  /** Time at which the last refused call of each key may be retried, and the time of one token. */
  const retries = new Map<string, { readonly at: Instant; readonly tokenMs: number }>();
  return (key, waitMs, tokenMs) => {
    const now = clock.now();
    const next = Math.ceil((retries.get(key)?.at ?? Number.NEGATIVE_INFINITY) + tokenMs);
    const spreadMs = next - now - waitMs;
    const retryMs = spreadMs > 0 && spreadMs <= maxSpreadMs ? next - now : waitMs;
    // Deleted first, so that the map has the keys in the order of their last refused call.
    retries.delete(key);
    retries.set(key, { at: now + retryMs, tokenMs });
    for (const [oldest, last] of retries) {
      if (last.at + last.tokenMs > now) break;
      retries.delete(oldest);
    }
    return retryMs;
  };
}

/** Returns the error RateLimited with HTTP status 429. */
export function rateLimited(retryAfterMs: number): Error {
  const headers = { "retry-after": String(Math.ceil(retryAfterMs / 1_000)) };
  return declaredError("RateLimited", { retryAfterMs }, { httpStatus: 429, headers });
}

/** Returns the number of calls that a key may make at once: by default, those of a second. Undefined is no limit. */
export function burstOf({
  requestsPerSecond,
  requestBurst,
}: Pick<TenantLimits, "requestBurst" | "requestsPerSecond">): number | undefined {
  return requestBurst ?? (requestsPerSecond && Math.ceil(requestsPerSecond));
}

/** Counts one call of a caller. @throws {MethodError} RateLimited with HTTP status 429 */
export type TenantRates = (principal: Pick<Principal, "tenantId" | "apiKeyId">) => Promise<void>;

/**
 * Creates a rate limit for each key, at the rate of its tenant. All servers of a store count together. A change of the
 * rate refills the buckets of the tenant.
 */
export function createTenantRates(limitsOf: LimitsOf, rates: RateStore, clock: Clock): TenantRates {
  const spread = createRetrySpread(clock);
  return async ({ tenantId, apiKeyId }) => {
    const limits = await limitsOf(tenantId);
    const { requestsPerSecond } = limits;
    const burst = burstOf(limits);
    if (requestsPerSecond === undefined || burst === undefined) return;
    const key = `${requestsPerSecond} ${burst} ${tenantId} ${apiKeyId}`;
    const waitMs = await rates.take(key, { requestsPerSecond, burst });
    if (waitMs > 0) throw rateLimited(spread(key, waitMs, 1_000 / requestsPerSecond));
  };
}
