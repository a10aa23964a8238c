import type { Clock } from "../common/clock.ts";
import type { Principal } from "./principal.ts";
import { createRateLimit, type RateLimit } from "./rate-limit.ts";
import type { LimitsOf } from "./tenant-limits.ts";

/** Counts one HTTP request of a caller. @throws {MethodError} RateLimited with HTTP status 429 */
export type TenantRates = (principal: Principal) => Promise<void>;

/** Each key has the rate of its tenant. A rate that is changed begins anew. */
export function createTenantRates(limitsOf: LimitsOf, clock: Clock): TenantRates {
  const rates = new Map<string, { readonly rate: string; readonly limit: RateLimit }>();
  return async ({ tenantId, apiKeyId }) => {
    const { requestsPerSecond, requestBurst } = await limitsOf(tenantId);
    if (requestsPerSecond === undefined) return;
    const burst = requestBurst ?? Math.ceil(requestsPerSecond);
    const rate = `${requestsPerSecond} ${burst}`;
    let known = rates.get(tenantId);
    if (known?.rate !== rate) {
      known = { rate, limit: createRateLimit({ requestsPerSecond, burst }, clock) };
      rates.set(tenantId, known);
    }
    known.limit(apiKeyId);
  };
}
