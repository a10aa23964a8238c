import { type Duration, durationMs } from "../time/duration.ts";

/**
 * Duration of a run: a number of its polls, or milliseconds on the mock's clock. A new run is READY. With polls it is
 * RUNNING from its first poll, and STREAMING_RESULTS at the last poll but one, unless that is the first. With
 * milliseconds it is RUNNING when it is first read, and STREAMING_RESULTS in the last tenth of the time. A run that
 * fails is never STREAMING_RESULTS.
 */
export type RunScript = { readonly polls: number } | { readonly ms: number };

/** Default script: a run ends at its first poll, so that clients do not sleep between polls. */
export const firstPoll: RunScript = { polls: 1 };

/** @throws RangeError unless `polls` is a whole number from 1. */
export function pollScript(polls: number): RunScript {
  if (Number.isInteger(polls) && polls > 0) return { polls };
  throw new RangeError(`afterPolls: expected a whole number from 1, got ${JSON.stringify(polls)}`);
}

export function timeScript(duration: Duration): RunScript {
  return { ms: durationMs(duration) };
}

export type Stage = "queued" | "running" | "streaming" | "ended";

const streamingShare = 0.9;

/** Returns the stage of a run after a number of polls and milliseconds. */
export function stageOf(script: RunScript, polls: number, elapsedMs: number): Stage {
  if ("ms" in script) {
    if (elapsedMs >= script.ms) return "ended";
    return elapsedMs >= script.ms * streamingShare ? "streaming" : "running";
  }
  if (polls >= script.polls) return "ended";
  if (polls === 0) return "queued";
  return polls === script.polls - 1 && polls > 1 ? "streaming" : "running";
}

/** Returns the completed share of the statement of a run, from 0 to 1, after a number of polls and milliseconds. */
export function shareOf(script: RunScript, polls: number, elapsedMs: number): number {
  const share = "ms" in script ? elapsedMs / (script.ms * streamingShare) : polls / script.polls;
  return Math.min(Math.max(share, 0), 1);
}

/** Returns the instant at which a run reaches a stage; `now` if the script counts polls. */
export function stageInstant(script: RunScript, stage: Stage, createdAt: number, now: number): number {
  if ("polls" in script) return now;
  const shares: Readonly<Record<Stage, number>> = { queued: 0, running: 0, streaming: streamingShare, ended: 1 };
  return Math.floor(createdAt + script.ms * shares[stage]);
}

/** Returns the instant of the next stage; undefined if no stage follows, or the script counts polls. */
export function nextInstant(script: RunScript, createdAt: number, now: number): number | undefined {
  if ("polls" in script) return undefined;
  return [streamingShare, 1].map((share) => Math.ceil(createdAt + script.ms * share)).find((instant) => instant > now);
}
