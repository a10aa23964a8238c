import { InternalError, InvalidParams } from "@quern/json-rpc/envelope";
import * as descriptors from "@quern/protocol/methods";
import type { QueryRun } from "@quern/protocol/types";
import { getQueryRun } from "../generated/methods.ts";
import type { Client } from "../wire/client.ts";
import { hasCode, QuernError, RateLimited } from "../wire/quern-error.ts";
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

const passing: readonly unknown[] = [InternalError, RateLimited, 408, 429];

const schedules = /*@__PURE__*/ new WeakMap<Client, PollSchedule>();

/**
 * Polls a run until it is final, together with the other runs of the client.
 * @param run The run as far as it is known.
 * @param onRun Called with the run as it is first seen, and whenever its state has changed.
 * @throws {QuernError} of any kind but `failed` and `canceled`, or what `onRun` throws.
 */
export async function watchRun(
  client: Client,
  queryRunId: string,
  run: QueryRun | undefined,
  signal: AbortSignal,
  onRun?: (run: QueryRun) => void,
): Promise<QueryRun> {
  const schedule = schedules.get(client) ?? createPollSchedule(client);
  schedules.set(client, schedule);
  const poll = repeatedPoll(client, queryRunId, schedule, signal);
  let known = run;
  let state: string | undefined;
  schedule.watched += 1;
  try {
    for (;;) {
      if (known) {
        if (known.state !== state) onRun?.(known);
        state = known.state;
        if (isFinal(state)) return known;
      }
      known = await poll(known !== undefined);
    }
  } finally {
    schedule.watched -= 1;
  }
}

/** Returns the function that polls the run once more; it resolves with undefined after an outage. */
function repeatedPoll(
  client: Client,
  queryRunId: string,
  schedule: PollSchedule,
  signal: AbortSignal,
): (mayWait: boolean) => Promise<QueryRun | undefined> {
  const since = performance.now();
  let due = since + (client.server.waits === false ? stepMs : 0);
  let answered = since;
  /** Reason of the outage; a time limit would hide the fault of the connection. */
  let fault: QuernError | undefined;

  return async (mayWait) => {
    let started = due;
    let run: QueryRun | undefined;
    const poll = (isLong: boolean) => {
      started = performance.now();
      const leftMs = Math.max(shortestTimeoutMs, answered + client.outageTimeoutMs - started);
      return pollOnce(client, queryRunId, isLong, signal, Math.min(client.timeoutMs, leftMs));
    };
    try {
      run = await schedule.next({ due, mayWait, poll }, signal);
      answered = performance.now();
      fault = undefined;
    } catch (error) {
      if (signal.aborted || !isPassing(error as QuernError)) throw error;
      if (!fault || (error as QuernError).kind !== "timeout") fault = error as QuernError;
      // After it no poll waits: where something on the way cannot hold an answer so long, a short one gets through.
      answered = await awaitService(client, fault, queryRunId, answered, signal);
    }
    // A quarter of the run's age: the end of short runs is known at once, and long ones cost little. Where many runs are watched
    // there is always one that has ended: to poll for several at once costs a request for all of them.
    const share = Math.max(1 / 4, schedule.watched / 25);
    const intervalMs = Math.min(longestIntervalMs, Math.max(stepMs, (performance.now() - since) * share));
    due = Math.max(started + intervalMs, performance.now());
    return run;
  };
}

/** Polls once; without `waitSeconds` where the service does not know that member. */
async function pollOnce(
  client: Client,
  queryRunId: string,
  isLong: boolean,
  signal: AbortSignal,
  answerMs: number,
): Promise<QueryRun> {
  const { server } = client;
  try {
    const options = { signal, timeoutMs: answerMs + (isLong ? waitSeconds * 1000 : 0) };
    const reply = await getQueryRun(client, { queryRunId, ...(isLong && { waitSeconds }) }, options);
    if (isLong) server.waits = true;
    if (typeof reply?.queryRun?.state === "string") return reply.queryRun;
  } catch (error) {
    if (!isLong || server.waits || !hasCode(error, InvalidParams)) throw error;
    const queryRun = await pollOnce(client, queryRunId, false, signal, answerMs);
    server.waits = false;
    return queryRun;
  }
  throw new QuernError("protocol", "the answer has no queryRun", { queryRunId, method: descriptors.getQueryRun.name });
}

/** Tells a fault of the connection, after which the run goes on. */
function isPassing({ kind, code, status = 0 }: QuernError): boolean {
  return (
    kind === "network" || kind === "timeout" || passing.includes(code) || passing.includes(status) || status >= 500
  );
}
