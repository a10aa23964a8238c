import { type Instant, isFinal, type RunFailure, type RunRecord, type RunResult } from "./record.ts";
import { archivedSince, expiry, isExpired } from "./retention.ts";

/** Number of lost workers after which a run fails instead of being queued again. */
export const maxLostWorkers = 3;

/**
 * Event of a run. Events of a worker carry its attempt as a fencing token: once another worker has claimed the run, a
 * worker that was declared lost can no longer change it.
 */
export type RunEvent =
  /** A worker has taken the run from the queue. */
  | { readonly type: "claimed" }
  /** The engine has accepted the statement and assigned an id. */
  | { readonly type: "begun"; readonly attempt: number; readonly engineQueryId: string }
  /** The engine has the result, or begins to deliver it; the result is being stored. */
  | { readonly type: "executed"; readonly attempt: number }
  /**
   * The result is stored. A store refuses the event as `StorageQuotaExceeded` if the results of the tenant would have
   * more than `maxStoredBytes` with this one; undefined is no quota.
   */
  | {
      readonly type: "committed";
      readonly attempt: number;
      readonly result: RunResult;
      /**
       * Milliseconds for which the result was stored, of a run without an event `executed`: a result that is stored
       * quickly needs none. @default 0
       */
      readonly storingMs?: number | undefined;
      readonly maxStoredBytes?: number | undefined;
    }
  | { readonly type: "failed"; readonly attempt: number; readonly failure: RunFailure }
  /** The engine or the worker was lost. The run is queued again, or fails if it has lost `maxLostWorkers` workers. */
  | { readonly type: "workerLost"; readonly attempt: number; readonly reason: string }
  /**
   * One of several servers was lost, or its lease expired. The run is queued again, or fails if it has lost
   * `maxLostServers` servers in a row: the statement may be what ends them. It does not count as a lost worker.
   */
  | {
      readonly type: "serverLost";
      readonly attempt: number;
      readonly reason: string;
      readonly maxLostServers: number;
    }
  /** The service returns the run to the queue, e.g. at a shutdown. It does not count as a lost worker. */
  | { readonly type: "released"; readonly attempt: number }
  | { readonly type: "canceled" }
  /** One more request shares the run, with a retention of its own. */
  | { readonly type: "requested"; readonly resultTTLHours: number }
  /** The result has expired or its files are missing, so the run is marked as one whose result cannot be read. */
  | { readonly type: "archived" };

/** Reason why an event is refused. */
export type Refusal =
  | "RunEnded"
  | "RunNotEnded"
  | "StaleAttempt"
  | "WrongState"
  | "ResultExpired"
  /** Refused by the store and not by {@link transition}, which does not know the other results of the tenant. */
  | "StorageQuotaExceeded";

/**
 * Returns the event of a lost run.
 * @param maxLostServers number of servers lost in a row at which it fails; undefined counts the loss as a lost worker
 */
export function lossOf({ attempt }: RunRecord, reason: string, maxLostServers: number | undefined): RunEvent {
  return maxLostServers === undefined
    ? { type: "workerLost", attempt, reason }
    : { type: "serverLost", attempt, reason, maxLostServers };
}

/** Outcome of an event. */
export type Transition =
  | { readonly accepted: true; readonly run: RunRecord }
  | { readonly accepted: false; readonly refusal: Refusal };

/** Returns the record after an event, or the reason why the event is refused. Times in a record never decrease. */
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
    if (run.archivedAt !== null) return "ResultExpired";
    return { archivedAt: archivedSince(run, at) ?? at, result: run.result && { ...run.result, cells: undefined } };
  }
  if (isExpired(run, at)) return "ResultExpired";
  const resultTTLHours = Math.max(run.resultTTLHours, event.resultTTLHours);
  const neededUntil = expiry(at, event.resultTTLHours);
  if (resultTTLHours === run.resultTTLHours && run.expiresAt !== null && run.expiresAt >= neededUntil) return unchanged;
  // Rounded up to a minute, so that frequent requests of one result cause at most one write per minute.
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
      if (run.state === "QUERY_STATE_READY") return "WrongState";
      return {
        state: "QUERY_STATE_SUCCESS",
        queryRunningEndedAt: run.queryRunningEndedAt ?? Math.max(at - (event.storingMs ?? 0), run.startedAt ?? at),
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
    case "serverLost":
      if (run.state === "QUERY_STATE_READY") return "WrongState";
      return afterLostServer(run, event, at);
    case "released":
      return run.state === "QUERY_STATE_READY" ? "WrongState" : { ...queuedAgain, lostServers: 0 };
    case "canceled":
      return { state: "QUERY_STATE_CANCELED", endedAt: at };
    case "requested":
      return { resultTTLHours: Math.max(run.resultTTLHours, event.resultTTLHours) };
    case "archived":
      return "RunNotEnded";
  }
}

/**
 * Members of a run that returns to the queue. `attempt` stays: the next claim increments it, which fences off the lost
 * worker.
 */
const queuedAgain: Partial<RunRecord> = {
  state: "QUERY_STATE_READY",
  startedAt: null,
  queryRunningEndedAt: null,
  engineQueryId: null,
};

function afterLoss(run: RunRecord, reason: string, at: Instant): Partial<RunRecord> {
  const lostWorkers = run.lostWorkers + 1;
  // The server has survived the attempt.
  if (lostWorkers < maxLostWorkers) return { ...queuedAgain, lostWorkers, lostServers: 0 };
  const message = `The query was interrupted ${lostWorkers} times, because its engine, its process or its server was lost; the last time: ${reason}.`;
  const failure: RunFailure = { name: "WorkerLost", message, data: { category: "INTERNAL", retryable: true } };
  return { state: "QUERY_STATE_FAILED", endedAt: at, lostWorkers, failure };
}

function afterLostServer(
  run: RunRecord,
  { reason, maxLostServers }: Extract<RunEvent, { type: "serverLost" }>,
  at: Instant,
): Partial<RunRecord> {
  const lostServers = (run.lostServers ?? 0) + 1;
  if (lostServers < maxLostServers) return { ...queuedAgain, lostServers };
  const message = `The servers that executed the query were lost ${lostServers} times in a row; the last time: ${reason}. The query may need more memory than a server has; query less data.`;
  // A retry could end as many servers.
  const failure: RunFailure = { name: "WorkerLost", message, data: { category: "INTERNAL", retryable: false } };
  return { state: "QUERY_STATE_FAILED", endedAt: at, lostServers, failure };
}
