/** The longest that a timer waits; a longer one would end at once. */
const maxTimerSeconds = 2_147_483;

/** Ends after so many seconds, or the most that a timer can wait. */
export function deadlineAfter(seconds: number): AbortSignal {
  return AbortSignal.timeout(Math.ceil(Math.min(seconds, maxTimerSeconds) * 1_000));
}
