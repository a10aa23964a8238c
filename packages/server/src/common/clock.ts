import type { Instant } from "@quern/query-run/record";

/** Clock of the service; a test passes its own. */
export interface Clock {
  now(): Instant;
}

export const systemClock: Clock = { now: () => Date.now() };
