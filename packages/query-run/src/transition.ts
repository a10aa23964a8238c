import { type Instant, isFinal, type RunFailure, type RunRecord, type RunResult } from "./record.ts";
import { archivedSince, expiry, isExpired } from "./retention.ts";

/** When this many workers have died over a run, it fails instead of being tried again. */
export const maxLostWorkers = 3;

/**
 * Something that happened to a run. What a worker reports carries the attempt it worked on, so that a worker that was
 * given up can no longer change the run.
 */
export type RunEvent =
  | { readonly type: "claimed" }
  /** The engine has taken the statement, under an id of its own. */
  | { readonly type: "begun"; readonly attempt: number; readonly engineQueryId: string }
  | { readonly type: "executed"; readonly attempt: number }
  | { readonly type: "committed"; readonly attempt: number; readonly result: RunResult }
  | { readonly type: "failed"; readonly attempt: number; readonly failure: RunFailure }
  /** The worker died; whether the run is tried again depends on the workers lost so far. */
  | { readonly type: "workerLost"; readonly attempt: number; readonly reason: string }
  /** The service gives the run back unfinished, as at a shutdown; no worker is counted as lost. */
  | { readonly type: "released"; readonly attempt: number }
  | { readonly type: "canceled" }
  /** One more request is answered by this run and wants its result kept. */
  | { readonly type: "requested"; readonly resultTTLHours: number }
  | { readonly type: "archived" };

export type Refusal = "RunEnded" | "RunNotEnded" | "StaleAttempt" | "WrongState" | "ResultExpired";

export type Transition =
  | { readonly accepted: true; readonly run: RunRecord }
  | { readonly accepted: false; readonly refusal: Refusal };

/** The record after an event, or why the event is refused. Time never runs backwards within a record. */
export function transition(run: RunRecord, event: RunEvent, now: Instant): Transition {
  const at = Math.max(now, run.updatedAt);
  const next = isFinal(run.state) ? afterEnd(run, event, at) : beforeEnd(run, event, at);
  if (typeof next === "string") return { accepted: false, refusal: next };
  if (next === unchanged) return { accepted: true, run };
  return { accepted: true, run: { ...run, ...next, updatedAt: at } };
}

type Change = Partial<RunRecord> | Refusal;

const unchanged: Change = {};

function afterEnd(run: RunRecord, event: RunEvent, at: Instant): Change {
  if (event.type !== "requested" && event.type !== "archived") return "RunEnded";
  if (run.state !== "QUERY_STATE_SUCCESS") return "WrongState";
  if (event.type === "archived") {
    return run.archivedAt === null ? { archivedAt: archivedSince(run, at) ?? at } : "ResultExpired";
  }
  if (isExpired(run, at)) return "ResultExpired";
  const resultTTLHours = Math.max(run.resultTTLHours, event.resultTTLHours);
  const neededUntil = expiry(at, event.resultTTLHours);
  if (resultTTLHours === run.resultTTLHours && run.expiresAt !== null && run.expiresAt >= neededUntil) return unchanged;
  // To the end of the minute, so that a result which is asked for often is not written as often.
  return { resultTTLHours, expiresAt: Math.max(run.expiresAt ?? at, Math.ceil(neededUntil / 60_000) * 60_000) };
}

function beforeEnd(run: RunRecord, event: RunEvent, at: Instant): Change {
  if ("attempt" in event && event.attempt !== run.attempt) return "StaleAttempt";
  switch (event.type) {
    case "claimed":
      if (run.state !== "QUERY_STATE_READY") return "WrongState";
      return { state: "QUERY_STATE_RUNNING", attempt: run.attempt + 1, startedAt: at };
    case "begun":
      if (run.state !== "QUERY_STATE_RUNNING") return "WrongState";
      return { engineQueryId: event.engineQueryId };
    case "executed":
      if (run.state !== "QUERY_STATE_RUNNING") return "WrongState";
      return { state: "QUERY_STATE_STREAMING_RESULTS", queryRunningEndedAt: at };
    case "committed":
      if (run.state !== "QUERY_STATE_STREAMING_RESULTS") return "WrongState";
      return {
        state: "QUERY_STATE_SUCCESS",
        queryStreamingEndedAt: at,
        endedAt: at,
        expiresAt: expiry(at, run.resultTTLHours),
        result: event.result,
      };
    case "failed":
      return { state: "QUERY_STATE_FAILED", endedAt: at, failure: event.failure };
    case "workerLost":
      if (run.state === "QUERY_STATE_READY") return "WrongState";
      return afterLoss(run, event.reason, at);
    case "released":
      return run.state === "QUERY_STATE_READY" ? "WrongState" : queuedAgain;
    case "canceled":
      return { state: "QUERY_STATE_CANCELED", endedAt: at };
    case "requested":
      return { resultTTLHours: Math.max(run.resultTTLHours, event.resultTTLHours) };
    case "archived":
      return "RunNotEnded";
  }
}

/** The attempt is kept: the next claim counts on, which tells a worker that was given up from the one that works. */
const queuedAgain: Partial<RunRecord> = {
  state: "QUERY_STATE_READY",
  startedAt: null,
  queryRunningEndedAt: null,
  engineQueryId: null,
};

function afterLoss(run: RunRecord, reason: string, at: Instant): Partial<RunRecord> {
  const lostWorkers = run.lostWorkers + 1;
  if (lostWorkers < maxLostWorkers) return { ...queuedAgain, lostWorkers };
  const message = `The process that ran the query was lost ${lostWorkers} times; the last time: ${reason}.`;
  const failure: RunFailure = { name: "WorkerLost", message, data: { category: "INTERNAL", retryable: true } };
  return { state: "QUERY_STATE_FAILED", endedAt: at, lostWorkers, failure };
}
