import type { QueryRun } from "@quern/protocol/types";
import type { DetectingClient } from "../wire/client.ts";
import { afterMicrotask } from "../wire/deadline.ts";

/**
 * Step of the time grid on which a client polls, and shortest time from one poll of a run until the next is due, in
 * milliseconds.
 */
export const stepMs = 100;
/**
 * Longest time from one poll of a run until the next is due, in milliseconds. A held answer, and the pause after a failed
 * poll, may take longer.
 */
export const longestIntervalMs = 2000;
/** Time that the service may hold the answer to a long poll, in seconds. */
export const waitSeconds = 20;
/**
 * Shortest time limit of a poll, also at the end of a long outage, in milliseconds; shorter only if that of the client
 * is.
 */
export const shortestTimeoutMs = 1000;
/**
 * Maximum number of concurrent groups of long polls. A group is all polls that are sent together: in batches, or without
 * batches at most this number of requests. While the groups are open, other polls do not set `waitSeconds`, so that
 * connections stay free.
 */
const maxLongPolls = 2;

/** The next poll of one run. */
interface NextPoll {
  /** Returns the earliest time of the poll by `performance.now()` for a number of polled runs, in milliseconds. */
  readonly due: (runCount: number) => number;
  /** True if the service may hold the answer until the run has ended. */
  readonly mayWait: boolean;
  readonly poll: (isLong: boolean) => Promise<QueryRun>;
}

/** Polls all unfinished runs of a client together. */
export interface PollSchedule {
  /** Counts one more run that is being polled. Returns a function that takes it off the count. */
  enter(): () => void;
  /**
   * Polls a run together with the next poll of any run, or at once when the signal is aborted, and returns the answer.
   */
  next(poll: NextPoll, signal: AbortSignal): Promise<QueryRun>;
}

/** Creates the schedule of a client: one timer on a time grid, and one batch for all scheduled polls. */
export function createPollSchedule({ server, sleep }: DetectingClient): PollSchedule {
  const scheduled = new Set<NextPoll>();
  // Jitter: clients that start together must not poll together.
  const phase = Math.random() * stepMs;
  let timer: AbortController | undefined;
  let longPolls = 0;
  let runCount = 0;

  function setTimer(): void {
    timer?.abort();
    if (scheduled.size === 0) return;
    const due = Math.min(...Array.from(scheduled, (entry) => entry.due(runCount)));
    const onGrid = Math.ceil((due - phase) / stepMs) * stepMs + phase;
    timer = new AbortController();
    const { signal } = timer;
    void sleep(Math.max(0, onGrid - performance.now()), signal).then(() => {
      if (!signal.aborted) void pollAll();
    });
  }

  /** Polls also the runs that are not due: one more call in a batch costs less than one more request. */
  async function pollAll(): Promise<void> {
    timer?.abort();
    const all = [...scheduled];
    scheduled.clear();
    const isLong =
      server.longPoll !== false &&
      longPolls < maxLongPolls &&
      (server.batch || all.length <= maxLongPolls) &&
      all.every(({ mayWait }) => mayWait);
    longPolls += Number(isLong);
    await Promise.allSettled(all.map(({ poll }) => poll(isLong)));
    longPolls -= Number(isLong);
  }

  return {
    enter() {
      runCount += 1;
      return () => {
        runCount -= 1;
        setTimer(); // the fewer runs are left, the earlier their polls are due
      };
    },
    next: (wanted, signal) =>
      new Promise((resolve) => {
        const poll = (isLong: boolean) => {
          signal.removeEventListener("abort", onAbort);
          const answer = wanted.poll(isLong);
          resolve(answer);
          return answer;
        };
        const entry = { ...wanted, poll };
        const onAbort = () => {
          scheduled.delete(entry);
          setTimer();
          void poll(false);
        };
        scheduled.add(entry);
        signal.addEventListener("abort", onAbort);
        // If only one run is polled, it is polled in the next microtask, together with runs that are added until then.
        // Other runs wait for the grid, and so does a run whose last long poll was answered early.
        if (signal.aborted) onAbort();
        else if (runCount === 1 && server.longPoll !== false && entry.due(runCount) <= performance.now())
          afterMicrotask(pollAll);
        else setTimer();
      }),
  };
}
