import type { QueryRun } from "@quern/client";

const LABELS: Readonly<Record<string, string>> = {
  QUERY_STATE_READY: "Queued",
  QUERY_STATE_RUNNING: "Running",
  QUERY_STATE_STREAMING_RESULTS: "Writing the result",
  QUERY_STATE_SUCCESS: "Succeeded",
  QUERY_STATE_FAILED: "Failed",
  QUERY_STATE_CANCELED: "Canceled",
};

export const STATES = Object.keys(LABELS);

/** Returns a state in words. An unknown state is in progress. */
export const stateLabel = (state: string): string => LABELS[state] ?? "In progress";

export const isFinal = (state: string): boolean => /_(SUCCESS|FAILED|CANCELED)$/.test(state);

export const hasSucceeded = ({ state }: QueryRun): boolean => state === "QUERY_STATE_SUCCESS";

/** Returns the time that a run has taken so far, in milliseconds, or its time in the queue before it has started. */
export function elapsedOf({ createdAt, startedAt, endedAt }: QueryRun, now: number): number {
  const end = endedAt === null ? now : Date.parse(endedAt);
  // The clock of the service may be ahead of this one.
  return Math.max(0, end - Date.parse(startedAt ?? createdAt));
}

/** Returns a time in words: `12 ms`, `3.4 s`, `2 min 5 s`. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.round(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
}

/** Returns a size in words: `1.2 MB`. */
export function sizeText(bytes: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const index = Math.min(units.length - 1, Math.floor(Math.log10(Math.max(1, bytes)) / 3));
  const value = bytes / 1000 ** index;
  return `${index === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[index]}`;
}
