import type { QueryRunState } from "@quern/protocol/types";
import { getQueryRun } from "../generated/methods.ts";
import type { QueryResult } from "../result/query-result.ts";
import { ignore } from "../run/withdrawal.ts";
import type { Client } from "../wire/client.ts";
import type { Query } from "./query.ts";
import { type StartedQuery, startQuery } from "./started-query.ts";

/** A query that several callers wait for, as in the panels of a page. It is withdrawn when the last of them leaves. */
export interface SharedQuery {
  /** The run, once the service has answered the create. */
  readonly started: StartedQuery | undefined;
  /** `queued` also before the service knows of the run, `reading` once it has ended and its first page is read. */
  readonly phase: "queued" | "running" | "reading";
  /** Waits for the result until the signal is aborted. */
  join(signal: AbortSignal): Promise<QueryResult>;
  /** Polls a queued run until it executes: otherwise a caller may learn only of its end. */
  follow(): void;
}

export interface SharedQueryOptions {
  /** A run to resume instead of a new one. */
  readonly started?: StartedQuery | undefined;
  /** Calls the function when the query may begin; at once by default. */
  readonly schedule?: (<T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>) | undefined;
  /** Called when the phase changes or the run becomes known, and with `true` when no caller can join any more. */
  readonly onChange: (isOver: boolean) => void;
}

/** Longest time for the create, and for the run and its first page. */
const timeoutMs = 20 * 60 * 1000;
const followMs = 500;
const executing: readonly QueryRunState[] = ["QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"];

/** Starts a query when its first caller joins. */
export function shareQuery(
  client: Client,
  request: Query,
  { started, schedule = (work) => work(), onChange }: SharedQueryOptions,
): SharedQuery {
  const quit = new AbortController();
  const { signal } = quit;
  let phase: SharedQuery["phase"] = "queued";
  let callers = 0;
  let result: Promise<QueryResult> | undefined;
  let isFollowed = false;

  function onState(state: QueryRunState) {
    phase = executing.includes(state) ? "running" : state === "QUERY_STATE_READY" ? phase : "reading";
    onChange(false);
  }

  async function work(): Promise<QueryResult> {
    started ??= await startQuery(client, request, { signal, timeoutMs });
    return started.result({ signal, timeoutMs, onState });
  }

  async function settle(): Promise<QueryResult> {
    try {
      return await schedule(work, signal);
    } finally {
      // Ends the polling of a query that failed while it was queued.
      quit.abort();
      onChange(true);
    }
  }

  async function followQueued(): Promise<void> {
    while (phase === "queued" && !signal.aborted) {
      await client.sleep(followMs, signal);
      if (!started || signal.aborted) continue;
      const { queryRun } = await getQueryRun(client, { queryRunId: started.queryRunId }, { signal });
      if (phase === "queued" && executing.includes(queryRun.state)) onState(queryRun.state);
    }
  }

  return {
    get started() {
      return started;
    },
    get phase() {
      return phase;
    },
    join: (leaves) =>
      new Promise((resolve, reject) => {
        const leave = () => {
          callers -= 1;
          reject(leaves.reason);
          // A caller that leaves may join again at once.
          queueMicrotask(() => {
            if (callers > 0) return;
            quit.abort();
            onChange(true);
          });
        };
        callers += 1;
        leaves.addEventListener("abort", leave);
        if (leaves.aborted) leave();
        result ??= settle();
        result.then(resolve, reject);
      }),
    follow() {
      if (!isFollowed) followQueued().catch(ignore);
      isFollowed = true;
    },
  };
}
