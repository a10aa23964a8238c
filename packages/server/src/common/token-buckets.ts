import type { Rate } from "@quern/adapter";
import type { Instant } from "@quern/query-run/record";
import type { Clock } from "./clock.ts";

/** Takes a token from the bucket of a key. Returns 0, or the milliseconds until the bucket has one. */
export type TokenBuckets = (key: string, rate: Rate) => number;

/**
 * Largest number of buckets that are not full. Beyond it, the least recently used bucket is evicted, so that
 * a client with many keys or addresses cannot fill the memory.
 */
const maxBuckets = 100_000;

/** Creates token buckets in the memory of this process, one for each key. They throw on an invalid rate. */
export function createTokenBuckets(clock: Clock): TokenBuckets {
  const fullAt = new Map<string, Instant>();
  return (key, { requestsPerSecond, burst }) => {
    if (!(requestsPerSecond > 0))
      throw new Error(`Invalid requestsPerSecond: expected a number above 0, got ${requestsPerSecond}.`);
    if (!(burst >= 1)) throw new Error(`Invalid burst: expected at least 1, got ${burst}.`);
    const tokenMs = 1_000 / requestsPerSecond;
    const now = clock.now();
    // At most a whole bucket is missing, even after the clock was set back.
    const missingMs = Math.min(Math.max((fullAt.get(key) ?? now) - now, 0), burst * tokenMs);
    const waitMs = Math.ceil(missingMs - (burst - 1) * tokenMs);
    if (waitMs > 0) {
      fullAt.set(key, now + missingMs); // earlier than before if the clock was set back
      return waitMs;
    }
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
