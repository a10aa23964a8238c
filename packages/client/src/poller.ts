import { InvalidParams } from "@quern/json-rpc/envelope";
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

/** Throws nothing: it fails alone, not with the others who watch the same run. */
interface Watcher {
  onRun(run: QueryRun): void;
  fail(error: unknown): void;
}

interface Watched {
  readonly queryRunId: string;
  readonly since: number;
  readonly watchers: Set<Watcher>;
  /** Aborted when the last watcher has left. */
  readonly left: AbortController;
  /** When to look next; undefined while a look is under way. */
  due: number | undefined;
  failures: number;
  /** Whether the last look told its state: else the next one does not wait. */
  seen: boolean;
}

/** Watches all runs of a client together: one timer on a shared grid, one batch for all that are due. */
export interface Poller {
  /**
   * Calls `watcher.onRun` with each look until the run is final.
   * @param seen Whether the state is known already, so that the first look may wait for the next one.
   * @returns what ends the watch.
   */
  watch(queryRunId: string, watcher: Watcher, seen: boolean): () => void;
}

/** Whether a run in this state has ended; a state that is not known is in progress. */
export function isFinal(state: string): boolean {
  return getQueryRunFinalStates.includes(state);
}

const pollers = /*@__PURE__*/ new WeakMap<Client, Poller>();

export function pollerOf(client: Client): Poller {
  const poller = pollers.get(client) ?? createPoller(client);
  pollers.set(client, poller);
  return poller;
}

function createPoller(client: Client): Poller {
  const runs = new Map<string, Watched>();
  // Clients that start together must not look together.
  const phase = Math.random() * stepMs;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let longPolls = 0;

  const onGrid = (time: number) => Math.ceil((time - phase) / stepMs) * stepMs + phase;

  function schedule() {
    clearTimeout(timer);
    const dues = [...runs.values()].flatMap(({ due }) => due ?? []);
    if (dues.length > 0) timer = setTimeout(lookAtAll, onGrid(Math.min(...dues)) - Date.now());
  }

  /** Whoever is idle joins in, due or not: one request more or less is what counts, not one member. */
  function lookAtAll() {
    clearTimeout(timer);
    const idle = [...runs.values()].filter(({ due }) => due !== undefined);
    if (idle.length === 0) return;
    const { waits, batch } = client.server;
    const free = longPolls < mostLongPolls && (batch || idle.length <= mostLongPolls);
    const long = waits !== false && free && idle.every(({ seen }) => seen);
    if (long) longPolls += 1;
    void Promise.all(idle.map((run) => look(run, long))).then(() => {
      if (long) longPolls -= 1;
    });
  }

  async function look(run: Watched, long: boolean): Promise<void> {
    const started = Date.now();
    run.due = undefined;
    try {
      const { queryRun } = await fetchRun(run, long);
      run.failures = 0;
      run.seen = true;
      if (isFinal(queryRun.state)) runs.delete(run.queryRunId);
      for (const watcher of run.watchers) watcher.onRun(queryRun);
    } catch (error) {
      run.failures += 1;
      // Where something on the way cannot hold an answer so long, a short look gets through.
      run.seen = false;
      if (!isPassing(error) || run.failures >= mostFailures) {
        runs.delete(run.queryRunId);
        for (const watcher of run.watchers) watcher.fail(error);
      }
    }
    if (runs.get(run.queryRunId) !== run) return;
    // A quarter of the run's age: short runs are known at once, long ones cost little.
    const intervalMs = Math.min(longestIntervalMs, Math.max(stepMs, (Date.now() - run.since) / 4));
    run.due = Math.max(started + intervalMs, Date.now());
    schedule();
  }

  async function fetchRun({ queryRunId, left: { signal } }: Watched, long: boolean) {
    const options = { signal, timeoutMs: client.timeoutMs + waitSeconds * 1000 };
    if (!long) return getQueryRun(client, { queryRunId }, { signal });
    try {
      const reply = await getQueryRun(client, { queryRunId, waitSeconds }, options);
      client.server.waits = true;
      return reply;
    } catch (error) {
      if (client.server.waits || !hasCode(error, InvalidParams)) throw error;
      const reply = await getQueryRun(client, { queryRunId }, { signal });
      client.server.waits = false;
      return reply;
    }
  }

  function watch(queryRunId: string, watcher: Watcher, seen: boolean): () => void {
    const now = Date.now();
    const known = runs.get(queryRunId);
    const run = known ?? {
      queryRunId,
      since: now,
      watchers: new Set(),
      left: new AbortController(),
      due: now,
      failures: 0,
      seen,
    };
    run.watchers.add(watcher);
    run.seen &&= seen;
    if (!known) {
      runs.set(queryRunId, run);
      // The first of several is looked at as soon as the others of its microtask have come; later ones wait for the grid.
      if (runs.size > 1) schedule();
      else if (client.server.waits === false) {
        run.due = now + stepMs;
        schedule();
      } else queueMicrotask(lookAtAll);
    }
    return () => {
      run.watchers.delete(watcher);
      if (run.watchers.size > 0 || runs.get(queryRunId) !== run) return;
      runs.delete(queryRunId);
      run.left.abort();
      schedule();
    };
  }

  return { watch };
}

/** A fault of the way, not of the run: the run goes on, and so does the watch. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof QuernError)) return false;
  const { kind, status = 0 } = error;
  return kind === "network" || kind === "timeout" || status === 408 || status === 429 || status >= 500;
}
