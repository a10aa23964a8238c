import type { Instant } from "@quern/query-run/record";

/** Clock of the service; a test passes its own. */
export interface Clock {
  now(): Instant;
  /** Milliseconds of a monotonic clock, from any start. @default `now` */
  elapsed?(): number;
}

export const systemClock: Clock = { now: () => Date.now(), elapsed: () => performance.now() };
