import { InternalError, InvalidParams } from "@quern/json-rpc/envelope";
import type { QueryRun } from "@quern/protocol/types";
import { getQueryRunFinalStates } from "../generated/lifecycle.ts";
import { getQueryRun } from "../generated/methods.ts";
import type { Client } from "../wire/client.ts";
import { RateLimited } from "../wire/error-codes.ts";
import { hasCode, QuernError } from "../wire/quern-error.ts";
import { awaitService } from "./outage.ts";

const stepMs = 100;
const longestIntervalMs = 2000;
const waitSeconds = 20;
/** Long polls under way at once; runs beyond them are looked at without waiting, so that connections stay free. */
const mostLongPolls = 2;
const shortestTimeoutMs = 1000;
const passing: readonly unknown[] = [InternalError, RateLimited, 408, 429];

/** A watch that waits for its next look. */
interface Turn {
  readonly due: number;
  /** Whether the look may be held back until there is something new. */
  readonly mayWait: boolean;
  /** Looks at the run; resolves when the look is over. */
  readonly look: (isLong: boolean) => Promise<QueryRun>;
}

/**
 * Watches a run until it is final.
 * @param run It as far as it is known.
 * @param onRun Told the run as it is first seen, and whenever its state has changed.
 * @throws {QuernError} of any kind but `failed` and `canceled`, or what `onRun` throws.
 */
type Watch = (
  queryRunId: string,
  run: QueryRun | undefined,
  signal: AbortSignal,
  onRun?: (run: QueryRun) => void,
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
    void client.sleep(Math.max(0, onGrid - performance.now()), signal).then(() => {
      if (!signal.aborted) void lookAtAll();
    });
  }

  /** Whoever waits joins in, due or not: one request more or less is what counts, not one member. */
  async function lookAtAll(): Promise<void> {
    alarm?.abort();
    const all = [...turns];
    turns.clear();
    const hasRoom = longPolls < mostLongPolls && (server.batch || all.length <= mostLongPolls);
    const isLong = server.waits !== false && hasRoom && all.every(({ mayWait }) => mayWait);
    longPolls += Number(isLong);
    await Promise.allSettled(all.map(({ look }) => look(isLong)));
    longPolls -= Number(isLong);
  }

  /** What is seen of a run when its turn has come, or its signal is aborted. */
  function nextLook(wanted: Turn, signal: AbortSignal): Promise<QueryRun> {
    return new Promise((resolve) => {
      const take = (isLong: boolean) => {
        signal.removeEventListener("abort", leave);
        const seen = wanted.look(isLong);
        resolve(seen);
        return seen;
      };
      const turn = { ...wanted, look: take };
      const leave = () => {
        turns.delete(turn);
        schedule();
        void take(false);
      };
      turns.add(turn);
      signal.addEventListener("abort", leave);
      // The first of several is looked at as soon as the others of its microtask have come; later ones wait for the grid, and
      // so does one whose look was to wait and came back at once.
      if (signal.aborted) leave();
      else if (watched === 1 && server.waits !== false && turn.due <= performance.now()) queueMicrotask(lookAtAll);
      else schedule();
    });
  }

  async function lookAt(queryRunId: string, isLong: boolean, signal: AbortSignal, answerMs: number): Promise<QueryRun> {
    try {
      const options = { signal, timeoutMs: answerMs + (isLong ? waitSeconds * 1000 : 0) };
      const reply = await getQueryRun(client, { queryRunId, ...(isLong && { waitSeconds }) }, options);
      if (isLong) server.waits = true;
      if (typeof reply?.queryRun?.state === "string") return reply.queryRun;
    } catch (error) {
      if (!isLong || server.waits || !hasCode(error, InvalidParams)) throw error;
      const queryRun = await lookAt(queryRunId, false, signal, answerMs);
      server.waits = false;
      return queryRun;
    }
    throw new QuernError("protocol", "the answer has no queryRun", { queryRunId, method: "getQueryRun" });
  }

  return async (queryRunId, known, signal, onRun) => {
    const since = performance.now();
    let due = since + (server.waits === false ? stepMs : 0);
    let run = known;
    let state: string | undefined;
    let answered = since;
    /** Reason of the outage; a time limit would hide the fault of the connection. */
    let fault: QuernError | undefined;
    watched += 1;
    try {
      for (;;) {
        if (run) {
          if (run.state !== state) onRun?.(run);
          state = run.state;
          if (isFinal(state)) return run;
        }
        let started = due;
        try {
          const look = (isLong: boolean) => {
            started = performance.now();
            const leftMs = Math.max(shortestTimeoutMs, answered + client.unreachableMs - started);
            return lookAt(queryRunId, isLong, signal, Math.min(client.timeoutMs, leftMs));
          };
          run = await nextLook({ due, mayWait: run !== undefined, look }, signal);
          answered = performance.now();
          fault = undefined;
        } catch (error) {
          if (signal.aborted || !isPassing(error as QuernError)) throw error;
          if (!fault || (error as QuernError).kind !== "timeout") fault = error as QuernError;
          answered = await awaitService(client, fault, queryRunId, answered, signal);
          // Where something on the way cannot hold an answer so long, a short look gets through.
          run = undefined;
        }
        // A quarter of the run's age: short runs are known at once, long ones cost little. Where many are watched there is
        // always one that has ended: to look for several at once costs a request for all of them.
        const share = Math.max(1 / 4, watched / 25);
        const intervalMs = Math.min(longestIntervalMs, Math.max(stepMs, (performance.now() - since) * share));
        due = Math.max(started + intervalMs, performance.now());
      }
    } finally {
      watched -= 1;
    }
  };
}

/** A fault of the way, not of the run: the run goes on, and so does the watch. */
function isPassing({ kind, code, status = 0 }: QuernError): boolean {
  return (
    kind === "network" || kind === "timeout" || passing.includes(code) || passing.includes(status) || status >= 500
  );
}
