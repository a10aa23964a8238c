import type { Instant, RunRecord } from "./record.ts";

export const maxResultTTLHours = 720;
export const maxMaxAgeMinutes = 10_080;
const hourMs = 3_600_000;
/** For so long after its end a run is known, with or without its result. */
export const recordRetentionMs = 45 * 24 * hourMs;

/** 0 means the server's minimum of one hour; above the maximum is the maximum, never a failure. */
export function clampResultTTLHours(hours: number): number {
  return Math.min(Math.max(hours, 1), maxResultTTLHours);
}

export function clampMaxAgeMinutes(minutes: number): number {
  return Math.min(minutes, maxMaxAgeMinutes);
}

export function expiry(from: Instant, resultTTLHours: number): Instant {
  return from + resultTTLHours * hourMs;
}

/** Since when a result cannot be read, whether or not its file has been removed yet; null while it can. */
export function archivedSince({ archivedAt, expiresAt }: RunRecord, now: Instant): Instant | null {
  return archivedAt ?? (expiresAt !== null && expiresAt <= now ? expiresAt : null);
}

export function isExpired(run: RunRecord, now: Instant): boolean {
  return archivedSince(run, now) !== null;
}
