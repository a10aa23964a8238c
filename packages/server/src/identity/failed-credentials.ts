import type { RequestHeaders } from "@quern/json-rpc/handler";
import type { Clock } from "../common/clock.ts";
import { limitDefaults } from "../common/limits.ts";
import { addressOf } from "../common/request-context.ts";
import { createTokenBuckets } from "../common/token-buckets.ts";
import type { Refusal } from "./authentication.ts";
import { clientNetwork } from "./network.ts";
import type { KnownCaller } from "./principal.ts";

/** Counts a refused key or token for the client that sent it, and returns the refusal. */
export type FailedCredentials = (headers: RequestHeaders, caller?: KnownCaller) => Refusal;

/**
 * Creates the counter of refused keys and tokens, which count together. A valid one is never counted, nor refused
 * because of others. Each server counts for itself: a shared count would cost a change of the store for each guess.
 */
export function countFailedCredentials(
  { maxFailedKeysPerMinute = limitDefaults.maxFailedKeysPerMinute }: { readonly maxFailedKeysPerMinute?: number },
  clock: Clock,
): FailedCredentials {
  const rate = { requestsPerSecond: maxFailedKeysPerMinute / 60, burst: maxFailedKeysPerMinute };
  const failures = createTokenBuckets(clock);
  return (headers, caller) => {
    const retryAfterMs = failures(clientNetwork(addressOf(headers)), rate);
    const refusal = retryAfterMs > 0 ? ({ refused: 429, retryAfterMs } as const) : ({ refused: 401 } as const);
    return caller === undefined ? refusal : { ...refusal, caller };
  };
}
