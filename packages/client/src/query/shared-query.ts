import type { QueryRunState } from "@quern/protocol/types";
import type { QueryResult } from "../result/query-result.ts";
import { heldCreateSeconds } from "../run/create-run.ts";
import type { Client } from "../wire/client.ts";
import { afterMicrotask } from "../wire/deadline.ts";
import type { Query } from "./query.ts";
import { type FollowedOptions, type StartedQuery, startQuery } from "./started-query.ts";

/**
 * A query that several callers wait for, such as the panels of a page. When the last of them aborts, its request is
 * withdrawn.
 */
export interface SharedQuery {
  /** The run that was created or is resumed; undefined until the service has answered the call that creates it. */
  readonly started: StartedQuery | undefined;
  /**
   * `queued` until the run executes, also before it is created; `reading` once the run has ended, while its first page
   * is read, and if the state of the run is unknown.
   */
  readonly phase: "queued" | "running" | "reading";
  /** Waits for the result. An abort of the signal ends the wait of this caller alone. */
  join(signal: AbortSignal): Promise<QueryResult>;
  /**
   * Polls a queued run without a long poll, together with the other runs of the client, so that `phase` changes when the
   * run starts to execute. Without it the client may learn only the end of the run, because a long poll is answered when
   * the run has ended.
   */
  follow(): void;
}

export interface SharedQueryOptions {
  /** Run to resume instead of creating one. */
  readonly started?: StartedQuery | undefined;
  /**
   * Calls `work` when the query may start, and returns its result. The signal is aborted when no caller waits any more.
   * @default calls `work` immediately
   */
  readonly schedule?: (<T>(work: () => Promise<T>, signal: AbortSignal) => Promise<T>) | undefined;
  /**
   * Called when the service reports a state of the run; with `true` when the query has ended or its last caller has
   * aborted, so that later callers should start a new query.
   */
  readonly onChange: (isOver: boolean) => void;
}

/** Time limit for creating the run, and another of the same length for the run and its first page. */
const timeoutMs = 20 * 60 * 1000;
const executing: readonly QueryRunState[] = ["QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"];

/** Returns a query that starts when its first caller joins. */
export function shareQuery(
  client: Client,
  request: Query,
  { started, schedule = (work) => work(), onChange }: SharedQueryOptions,
): SharedQuery {
  const controller = new AbortController();
  const { signal } = controller;
  const followed = new AbortController();
  let phase: SharedQuery["phase"] = "queued";
  let callers = 0;
  let result: Promise<QueryResult> | undefined;

  function onState(state: QueryRunState) {
    phase = executing.includes(state) ? "running" : state === "QUERY_STATE_READY" ? phase : "reading";
    onChange(false);
  }

  async function work(): Promise<QueryResult> {
    started ??= await startQuery(client, request, { signal, timeoutMs, waitSeconds: heldCreateSeconds });
    const options: FollowedOptions = { signal, timeoutMs, onState, followed: followed.signal };
    return started.result(options);
  }

  async function start(): Promise<QueryResult> {
    try {
      return await schedule(work, signal);
    } finally {
      onChange(true);
    }
  }

  return {
    get started() {
      return started;
    },
    get phase() {
      return phase;
    },
    join: (callerSignal) =>
      new Promise((resolve, reject) => {
        const onAbort = () => {
          callers -= 1;
          reject(callerSignal.reason);
          // Waits for a microtask: a component that unmounts and mounts again aborts and joins within one task, and
          // keeps the query.
          afterMicrotask(() => {
            if (callers > 0) return;
            controller.abort();
            onChange(true);
          });
        };
        callers += 1;
        callerSignal.addEventListener("abort", onAbort);
        if (callerSignal.aborted) onAbort();
        result ??= start();
        result.then(resolve, reject);
      }),
    follow: () => followed.abort(),
  };
}
