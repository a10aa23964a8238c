import { type Duration, durationMs } from "../time/duration.ts";

/**
 * How long a run takes: until the nth poll of that very run, or for a time on the mock's clock.
 * On the way it is RUNNING, and STREAMING_RESULTS at the last poll but one or in the last tenth of the time.
 */
export type RunScript = { readonly polls: number } | { readonly ms: number };

/** The default: a run has ended when it is first looked at, so that clients which sleep between polls do not. */
export const firstPoll: RunScript = { polls: 1 };

/** @throws RangeError unless `polls` is a positive integer. */
export function pollScript(polls: number): RunScript {
  if (Number.isInteger(polls) && polls > 0) return { polls };
  throw new RangeError(`afterPolls: expected a whole number from 1, got ${JSON.stringify(polls)}`);
}

export function timeScript(duration: Duration): RunScript {
  return { ms: durationMs(duration) };
}

export type Stage = "queued" | "running" | "streaming" | "ended";

const streamingShare = 0.9;

/** How far a run has come after so many polls and so much time. */
export function stageOf(script: RunScript, polls: number, elapsedMs: number): Stage {
  if ("ms" in script) {
    if (elapsedMs >= script.ms) return "ended";
    return elapsedMs >= script.ms * streamingShare ? "streaming" : "running";
  }
  if (polls >= script.polls) return "ended";
  if (polls === 0) return "queued";
  return polls === script.polls - 1 && polls > 1 ? "streaming" : "running";
}

/** When a run that was made at `createdAt` reaches a stage; `now` where polls decide. */
export function stageInstant(script: RunScript, stage: Stage, createdAt: number, now: number): number {
  if ("polls" in script) return now;
  const shares: Readonly<Record<Stage, number>> = { queued: 0, running: 0, streaming: streamingShare, ended: 1 };
  return Math.floor(createdAt + script.ms * shares[stage]);
}

/** When a run that was made at `createdAt` next reaches another stage; undefined where no time will bring it to one. */
export function nextInstant(script: RunScript, createdAt: number, now: number): number | undefined {
  if ("polls" in script) return undefined;
  return [streamingShare, 1].map((share) => Math.ceil(createdAt + script.ms * share)).find((instant) => instant > now);
}
