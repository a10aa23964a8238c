import type { Instant } from "@quern/query-run/record";

/** Where the service reads the time; a test passes its own. */
export interface Clock {
  now(): Instant;
}

export const systemClock: Clock = { now: () => Date.now() };
