import type { Instant } from "@quern/query-run/record";

/** Clock of the service; a test passes its own. */
export interface Clock {
  now(): Instant;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Longest delay of a Node.js timer; a longer one would fire at once. */
const maxTimerSeconds = 2_147_483;

/** Returns a signal that is aborted after a time, or after the longest delay of a timer if that is shorter. */
export function deadlineAfter(seconds: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(Math.min(seconds, maxTimerSeconds) * 1_000));
}
