import type { Instant, RunRecord } from "./record.ts";

/** Longest retention of a request, in hours. A longer one is lowered to it. */
export const maxResultTTLHours = 720;
/** Largest age of a result that a request accepts, in minutes. A larger one is lowered to it. */
export const maxMaxAgeMinutes = 10_080;
const hourMs = 3_600_000;
/**
 * Time for which the record of a run is stored after its end, in milliseconds: 45 days. The record of a run whose
 * result is retained for longer stays as long as the result.
 */
export const recordRetentionMs = 45 * 24 * hourMs;

/** Limits a retention to the range from 1 hour to the maximum. */
export function clampResultTTLHours(hours: number): number {
  return Math.min(Math.max(hours, 1), maxResultTTLHours);
}

/** Limits the age of a reused result to the maximum. */
export function clampMaxAgeMinutes(minutes: number): number {
  return Math.min(minutes, maxMaxAgeMinutes);
}

/** Returns the instant at which a retention ends. */
export function expiry(from: Instant, resultTTLHours: number): Instant {
  return from + resultTTLHours * hourMs;
}

/**
 * Returns the instant since which the result of a run is not readable, even if its file still exists; null if the
 * result has neither been archived nor expired.
 */
export function archivedSince(
  { archivedAt, expiresAt }: Pick<RunRecord, "archivedAt" | "expiresAt">,
  now: Instant,
): Instant | null {
  return archivedAt ?? (expiresAt !== null && expiresAt <= now ? expiresAt : null);
}

/** Tells whether the result of a run has been archived or has expired, so that it is not readable any more. */
export function isExpired(run: RunRecord, now: Instant): boolean {
  return archivedSince(run, now) !== null;
}
