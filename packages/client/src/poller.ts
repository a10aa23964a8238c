import { InternalError, InvalidParams } from "@quern/json-rpc/envelope";
import type { RateLimitedError } from "@quern/protocol/errors";
import type { QueryRun } from "@quern/protocol/types";
import type { Client } from "./client.ts";
import { getQueryRunFinalStates } from "./generated/lifecycle.ts";
import { getQueryRun } from "./generated/methods.ts";
import { hasCode, QuernError } from "./quern-error.ts";

const stepMs = 100;
const longestIntervalMs = 2000;
const waitSeconds = 20;
/** Long polls under way at once; runs beyond them are looked at without waiting, so that connections stay free. */
const mostLongPolls = 2;
const mostFailures = 5;
const RateLimited: RateLimitedError["code"] = -32029;
const passingCodes: readonly number[] = [InternalError, RateLimited];

/** A watch that waits for its next look. */
interface Turn {
  readonly due: number;
  /** Whether the look may be held back until there is something new. */
  readonly mayWait: boolean;
  /** @param onLooked Told when the look is over; given where it is to be a long poll. */
  take(onLooked?: () => void): void;
}

/**
 * Watches a run until it is final.
 * @param run It as far as it is known.
 * @param onRun Told the run at each look.
 * @throws {QuernError} of any kind but `failed` and `canceled`, or what `onRun` throws.
 */
type Watch = (
  queryRunId: string,
  run: QueryRun | undefined,
  signal: AbortSignal,
  onRun: (run: QueryRun) => void,
) => Promise<QueryRun>;

/** Whether a run in this state has ended; a state that is not known is in progress. */
export function isFinal(state: string): boolean {
  return getQueryRunFinalStates.includes(state);
}

const watches = /*@__PURE__*/ new WeakMap<Client, Watch>();

/** What watches all runs of a client together: one timer on a shared grid, one batch for all that wait. */
export function watchOf(client: Client): Watch {
  const watch = watches.get(client) ?? createWatch(client);
  watches.set(client, watch);
  return watch;
}

function createWatch(client: Client): Watch {
  const { server } = client;
  const turns = new Set<Turn>();
  // Clients that start together must not look together.
  const phase = Math.random() * stepMs;
  let alarm: AbortController | undefined;
  let watched = 0;
  let longPolls = 0;

  function schedule(): void {
    alarm?.abort();
    if (turns.size === 0) return;
    const due = Math.min(...[...turns].map(({ due }) => due));
    const onGrid = Math.ceil((due - phase) / stepMs) * stepMs + phase;
    alarm = new AbortController();
    const { signal } = alarm;
    void client.sleep(Math.max(0, onGrid - Date.now()), signal).then(() => signal.aborted || lookAtAll());
  }

  /** Whoever waits joins in, due or not: one request more or less is what counts, not one member. */
  function lookAtAll(): void {
    alarm?.abort();
    const all = [...turns];
    turns.clear();
    const hasRoom = longPolls < mostLongPolls && (server.batch || all.length <= mostLongPolls);
    const isLong = server.waits !== false && hasRoom && all.length > 0 && all.every(({ mayWait }) => mayWait);
    let left = all.length;
    if (isLong) longPolls += 1;
    const onLooked = () => {
      left -= 1;
      if (left === 0) longPolls -= 1;
    };
    for (const { take } of all) take(isLong ? onLooked : undefined);
  }

  function nextTurn(due: number, mayWait: boolean, signal: AbortSignal): Promise<(() => void) | undefined> {
    return new Promise((resolve) => {
      const leave = () => {
        if (turns.delete(turn)) schedule();
        turn.take();
      };
      const turn: Turn = {
        due,
        mayWait,
        take(onLooked) {
          signal.removeEventListener("abort", leave);
          resolve(onLooked);
        },
      };
      signal.addEventListener("abort", leave);
      turns.add(turn);
      // The first of several is looked at as soon as the others of its microtask have come; later ones wait for the grid, and
      // so does one whose look was to wait and came back at once.
      if (watched === 1 && server.waits !== false && due <= Date.now()) queueMicrotask(lookAtAll);
      else schedule();
    });
  }

  async function look(queryRunId: string, isLong: boolean, signal: AbortSignal): Promise<QueryRun> {
    try {
      const options = { signal, timeoutMs: client.timeoutMs + (isLong ? waitSeconds * 1000 : 0) };
      const reply = await getQueryRun(client, isLong ? { queryRunId, waitSeconds } : { queryRunId }, options);
      if (isLong) server.waits = true;
      if (typeof reply?.queryRun?.state === "string") return reply.queryRun;
    } catch (error) {
      if (!isLong || server.waits || !hasCode(error, InvalidParams)) throw error;
      const queryRun = await look(queryRunId, false, signal);
      server.waits = false;
      return queryRun;
    }
    throw new QuernError("protocol", "the answer has no queryRun", { method: "getQueryRun" });
  }

  return async (queryRunId, known, signal, onRun) => {
    const since = Date.now();
    let run = known;
    let due = since + (server.waits === false ? stepMs : 0);
    watched += 1;
    try {
      for (let failures = 0; ; ) {
        if (run) onRun(run);
        if (run && isFinal(run.state)) return run;
        const onLooked = await nextTurn(due, run !== undefined, signal);
        const started = Date.now();
        try {
          run = await look(queryRunId, onLooked !== undefined, signal);
          failures = 0;
        } catch (error) {
          failures += 1;
          if (signal.aborted || !isPassing(error) || failures === mostFailures) throw error;
          // Where something on the way cannot hold an answer so long, a short look gets through.
          run = undefined;
        } finally {
          onLooked?.();
        }
        // A quarter of the run's age: short runs are known at once, long ones cost little. Where many are watched there is
        // always one that has ended: to look for several at once costs a request for all of them.
        const share = Math.max(1 / 4, watched / 25);
        const intervalMs = Math.min(longestIntervalMs, Math.max(stepMs, (Date.now() - since) * share));
        due = Math.max(started + intervalMs, Date.now());
      }
    } finally {
      watched -= 1;
    }
  };
}

/** A fault of the way, not of the run: the run goes on, and so does the watch. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof QuernError)) return false;
  const { kind, code = 0, status = 0 } = error;
  return (
    /^(network|timeout)$/.test(kind) || passingCodes.includes(code) || [408, 429].includes(status) || status >= 500
  );
}
