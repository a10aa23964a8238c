import { InternalError, InvalidParams } from "@quern/json-rpc/envelope";
import * as descriptors from "@quern/protocol/methods";
import type { QueryRun, QueryRunState } from "@quern/protocol/types";
import { getQueryRun } from "../generated/methods.ts";
import type { Client, DetectingClient } from "../wire/client.ts";
import { isWorkerd, withDeadline } from "../wire/deadline.ts";
import { hasCode, QuernError, RateLimited, StoreUnavailable } from "../wire/quern-error.ts";
import { awaitService } from "./outage.ts";
import {
  createPollSchedule,
  longestIntervalMs,
  type PollSchedule,
  shortestTimeoutMs,
  stepMs,
  waitSeconds,
} from "./poll-schedule.ts";
import { isFinal } from "./run-state.ts";

const queued: QueryRunState = "QUERY_STATE_READY";

/** Kinds, codes, and HTTP statuses below 500, after which a poll is retried. */
const retriable: readonly unknown[] = [InternalError, RateLimited, StoreUnavailable, 408, 429, "network", "timeout"];

const schedules = /*@__PURE__*/ new WeakMap<Client, PollSchedule>();

/** Callbacks of a wait for the end of a run. */
export interface RunWatch {
  /** Called with the run when it is first known, and after each change of its state. */
  readonly onRun?: ((run: QueryRun) => void) | undefined;
  /**
   * Once it is aborted, no long poll waits for the end of a queued run, so that `onRun` learns the start of its execution.
   */
  readonly followed?: AbortSignal | undefined;
}

/**
 * Polls a run until its state is final, together with the other runs of the client.
 * @param run The run as last reported, if it is known already.
 * @throws {QuernError} of any kind but `failed` and `canceled`, or what `onRun` throws.
 */
export async function pollUntilFinal(
  client: Client,
  queryRunId: string,
  run: QueryRun | undefined,
  signal: AbortSignal,
  { onRun, followed }: RunWatch = {},
): Promise<QueryRun> {
  // Every client is made by `createClient`.
  const schedule = schedules.get(client) ?? createPollSchedule(client as DetectingClient);
  if (!isWorkerd()) schedules.set(client, schedule);
  // Made at the first poll: a short query needs none, and Node takes milliseconds to load its clock.
  let poll: ReturnType<typeof repeatedPoll> | undefined;
  let known = run;
  let state: string | undefined;
  const leave = schedule.enter();
  try {
    for (;;) {
      if (known) {
        if (known.state !== state) onRun?.(known);
        state = known.state;
        if (isFinal(state)) return known;
      }
      const cut = state === queued ? followed : undefined;
      poll ??= repeatedPoll(client as DetectingClient, queryRunId, schedule, signal);
      known = await poll(known !== undefined && !cut?.aborted, cut);
    }
  } finally {
    leave();
  }
}

/**
 * Returns a function that polls the run once, after an interval that grows with the run's age. After a failed poll that
 * may be retried it waits and resolves with undefined, so that the caller polls again without a long poll. It also does
 * so when `cut` is aborted during a long poll.
 */
function repeatedPoll(
  client: DetectingClient,
  queryRunId: string,
  schedule: PollSchedule,
  signal: AbortSignal,
): (mayWait: boolean, cut: AbortSignal | undefined) => Promise<QueryRun | undefined> {
  const since = performance.now();
  const first = since + (client.server.longPoll === false ? stepMs : 0);
  let started = first;
  let due = (_runCount: number): number => first;
  let answered = since;
  /**
   * Cause of the outage: the last error. A timeout does not replace an earlier error, which says more about the
   * connection.
   */
  let fault: QuernError | undefined;

  return async (mayWait, cut) => {
    let run: QueryRun | undefined;
    const poll = (isLong: boolean) => {
      started = performance.now();
      const leftMs = Math.max(shortestTimeoutMs, answered + client.outageTimeoutMs - started);
      return withDeadline(
        { signal },
        (pollSignal) => pollOnce(client, queryRunId, isLong, pollSignal, Math.min(client.timeoutMs, leftMs)),
        isLong ? cut : undefined,
      );
    };
    try {
      run = await schedule.next({ due, mayWait, poll }, signal);
      answered = performance.now();
      fault = undefined;
    } catch (error) {
      if (!signal.aborted && cut?.aborted && (error as QuernError).kind === "aborted") return undefined;
      if (signal.aborted || !isRetriable(error as QuernError)) throw error;
      if (!fault || (error as QuernError).kind !== "timeout") fault = error as QuernError;
      // The next poll is short: a proxy may have cut a long poll that exceeded the time limit of the proxy.
      answered = await awaitService(client, fault, queryRunId, answered, signal);
    }
    // The interval is a quarter of the run's age, so that the end of a short run is known soon and a long run costs few
    // requests. With many runs, one of them ends at almost any time: a longer interval reports the ends of several runs
    // in one request.
    const now = performance.now();
    due = (runCount) =>
      Math.max(
        now,
        started + Math.min(longestIntervalMs, Math.max(stepMs, (now - since) * Math.max(1 / 4, runCount / 40))),
      );
    return run;
  };
}

/** Polls once; without `waitSeconds` if the service does not know that member. */
async function pollOnce(
  client: DetectingClient,
  queryRunId: string,
  isLong: boolean,
  signal: AbortSignal,
  answerMs: number,
): Promise<QueryRun> {
  const { server } = client;
  try {
    const options = { signal, timeoutMs: answerMs + (isLong ? waitSeconds * 1000 : 0) };
    const reply = await getQueryRun(client, { queryRunId, waitSeconds: isLong ? waitSeconds : undefined }, options);
    if (isLong) server.longPoll = true;
    if (typeof reply?.queryRun?.state === "string") return reply.queryRun;
  } catch (error) {
    if (!isLong || server.longPoll || !hasCode(error, InvalidParams)) throw error;
    const queryRun = await pollOnce(client, queryRunId, false, signal, answerMs);
    server.longPoll = false;
    return queryRun;
  }
  throw new QuernError("protocol", "the answer has no queryRun.state", {
    queryRunId,
    method: descriptors.getQueryRun.name,
  });
}

/** Tells whether a poll failed by a fault of the connection or the load of the service, and not by the run. */
function isRetriable({ kind, code, status = 0 }: QuernError): boolean {
  return status >= 500 || [kind, code, status].some((fault) => retriable.includes(fault));
}
