import type { QueryRun } from "@quern/protocol/types";
import type { Client } from "../wire/client.ts";

/** Distance of the times at which a client polls, and the shortest time between two polls of a run, in milliseconds. */
export const stepMs = 100;
export const longestIntervalMs = 2000;
/** Longest time that the service may hold the answer to a poll back. */
export const waitSeconds = 20;
/** Time that a poll has for its answer although the service has been unreachable for long, in milliseconds. */
export const shortestTimeoutMs = 1000;
/** Long polls under way at once; further runs are polled without waiting, so that connections stay free. */
const mostLongPolls = 2;

/** The next poll of one run. */
interface NextPoll {
  /** Time by `performance.now()`, in milliseconds. */
  readonly due: number;
  /** Whether the service may hold its answer back until the state has changed. */
  readonly mayWait: boolean;
  readonly poll: (isLong: boolean) => Promise<QueryRun>;
}

/** Lets all runs of a client that are watched be polled together. */
export interface PollSchedule {
  /** Runs that are watched. */
  watched: number;
  /** Returns the answer to a poll that is sent when the next one is due, or when the signal is aborted. */
  next(poll: NextPoll, signal: AbortSignal): Promise<QueryRun>;
}

/** Creates the schedule of a client: one timer on a shared grid, and one batch for all polls that wait. */
export function createPollSchedule({ server, sleep }: Client): PollSchedule {
  const waiting = new Set<NextPoll>();
  // Clients that start together must not poll together.
  const phase = Math.random() * stepMs;
  let alarm: AbortController | undefined;
  let longPolls = 0;

  function setAlarm(): void {
    alarm?.abort();
    if (waiting.size === 0) return;
    const due = Math.min(...[...waiting].map(({ due }) => due));
    const onGrid = Math.ceil((due - phase) / stepMs) * stepMs + phase;
    alarm = new AbortController();
    const { signal } = alarm;
    void sleep(Math.max(0, onGrid - performance.now()), signal).then(() => {
      if (!signal.aborted) void pollAll();
    });
  }

  /** Polls the runs that are not due, too: a member more in a batch costs less than a request. */
  async function pollAll(): Promise<void> {
    alarm?.abort();
    const all = [...waiting];
    waiting.clear();
    const isLong =
      server.waits !== false &&
      longPolls < mostLongPolls &&
      (server.batch || all.length <= mostLongPolls) &&
      all.every(({ mayWait }) => mayWait);
    longPolls += Number(isLong);
    await Promise.allSettled(all.map(({ poll }) => poll(isLong)));
    longPolls -= Number(isLong);
  }

  const schedule: PollSchedule = {
    watched: 0,
    next: (wanted, signal) =>
      new Promise((resolve) => {
        const poll = (isLong: boolean) => {
          signal.removeEventListener("abort", leave);
          const answer = wanted.poll(isLong);
          resolve(answer);
          return answer;
        };
        const entry = { ...wanted, poll };
        const leave = () => {
          waiting.delete(entry);
          setAlarm();
          void poll(false);
        };
        waiting.add(entry);
        signal.addEventListener("abort", leave);
        // The first of several runs is polled as soon as the others of its microtask have come; later ones wait for the grid, and
        // so does one whose long poll came back at once.
        if (signal.aborted) leave();
        else if (schedule.watched === 1 && server.waits !== false && entry.due <= performance.now())
          queueMicrotask(pollAll);
        else setAlarm();
      }),
  };
  return schedule;
}
