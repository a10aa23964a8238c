import type { QuernError } from "@quern/client";
import { hashKey, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef, useSyncExternalStore } from "react";
import { cachedQuery, notesOf, runOf } from "../options/open-run.ts";
import type { HookReading } from "./use-reading.ts";

/**
 * State of a query: `idle` before it is enabled, `queued` until its run executes, `running`, `reading` its rows, then `success`,
 * `error` or `canceled`; `paused` while the browser is offline and nothing has been sent.
 */
export type QueryPhase = "idle" | "queued" | "running" | "reading" | "success" | "error" | "canceled" | "paused";

/** Members of a data hook beside those of TanStack Query. */
export interface RunHandle {
  /** Id of the run whose rows are shown; before there are any, of the run under way. */
  readonly queryRunId: string | undefined;
  /** State of the fetch. A component that reads it renders each time it changes. */
  readonly state: QueryPhase;
  /** When the run whose rows are shown ended, as ISO 8601; undefined before, and if the service does not report it. */
  readonly asOf: string | undefined;
  /** Stops the fetch, and withdraws its run unless others wait for it. Rows that are shown stay. */
  cancel(): Promise<void>;
  /**
   * Runs the statement anew, whatever `maxAgeMinutes` is, and reads all its views on the page from the new run. A first fetch
   * that is under way is canceled.
   */
  refresh(): Promise<void>;
}

/** The members of TanStack Query's results that the handle reads. */
interface Fetched {
  readonly status: "pending" | "success" | "error";
  readonly fetchStatus: string;
  readonly dataUpdatedAt: number;
  readonly isPlaceholderData: boolean;
  readonly error: QuernError | null;
  refetch(options: { readonly cancelRefetch: boolean }): Promise<unknown>;
}

/** Adds the members of a `RunHandle` to a result of TanStack Query. */
export function useRunHandle<Row, Result extends Fetched>(
  result: Result,
  queryKey: QueryKey,
  { statementKey, shown }: HookReading<Row>,
): Result & RunHandle {
  const queryClient = useQueryClient();
  const view = () => cachedQuery(queryClient, queryKey);
  const shared = () => notesOf(queryClient)[hashKey(statementKey)]?.query;
  const follows = useRef(false);
  const phase = () => (follows.current ? shared()?.phase : undefined);
  useSyncExternalStore(queryClient.getQueryCache().subscribe, phase, phase);
  useEffect(() => {
    if (view().state.data) shown.current = view();
    if (follows.current) shared()?.follow();
  });

  function followed() {
    follows.current = true;
    return shared();
  }

  /** The run whose rows are shown; the component renders when it changes, because it reads `dataUpdatedAt`. */
  function run() {
    void result.dataUpdatedAt;
    return runOf(result.isPlaceholderData ? shown.current : view());
  }

  const handle = {
    get queryRunId() {
      return (run() ?? followed()?.started)?.queryRunId;
    },
    get state(): QueryPhase {
      const { fetchStatus, status, error } = result;
      if (fetchStatus === "paused") return fetchStatus;
      // The first render tells of the fetch before it begins.
      if (fetchStatus === "fetching") {
        return followed()?.phase ?? (view().state.fetchStatus === "idle" ? "queued" : "reading");
      }
      if (notesOf(view()).isCanceled || error?.kind === "canceled") return "canceled";
      return status === "pending" ? "idle" : status;
    },
    get asOf() {
      return run()?.asOf ?? undefined;
    },
    cancel: () => queryClient.cancelQueries({ queryKey, exact: true }),
    async refresh() {
      // A refetch would join a first fetch that is under way.
      if (!view().state.data) await handle.cancel();
      notesOf(view()).isForced = true;
      const all = queryClient.invalidateQueries({ queryKey: statementKey });
      // A query that is not enabled is not among them.
      await result.refetch({ cancelRefetch: false });
      await all;
    },
  };
  // TanStack Query tracks which members a component reads, so each is passed on when it is read.
  for (const name of Object.keys(result) as (keyof Result)[]) {
    Object.defineProperty(handle, name, { enumerable: true, get: () => result[name] });
  }
  return handle as Result & RunHandle; // It has the members of both.
}
