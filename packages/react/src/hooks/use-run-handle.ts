import type { QuernError } from "@quern/client";
import { hashKey, notifyManager, type Query, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useRef, useState, useSyncExternalStore } from "react";
import { cachedQuery, checkSchema, metadataOf, type ReadInput, runOf } from "../options/open-run.ts";
import type { PanelOptions } from "../options/panel-queue.ts";
import { statementKey } from "../options/query-key.ts";
import type { RowsQuery } from "../options/rows-query.ts";
import { useClient } from "./quern-context.ts";
import { usePanelQueue } from "./quern-dashboard.ts";

export interface HookReadInput<Row> extends ReadInput<Row> {
  readonly shown: RefObject<Query | undefined>;
}

/** Returns the input of a fetch: the client, the query, and the queue of the panel. */
export function useReadInput<Row>(request: RowsQuery<Row>, { element, priority }: PanelOptions): HookReadInput<Row> {
  const client = useClient();
  const enqueue = usePanelQueue({ element, priority });
  const shown = useRef<Query>(undefined);
  return { client, request, enqueue, shown, statementKey: statementKey(client, request) };
}

/**
 * State of a query: `idle` until it is enabled, `queued` until its run executes, `running`, `reading` its rows, then `success`,
 * `error` or `canceled`. `paused` while the browser is offline and no request has been sent.
 */
export type QueryPhase = "idle" | "queued" | "running" | "reading" | "success" | "error" | "canceled" | "paused";

/** Members that a data hook adds to the result of TanStack Query. */
export interface RunHandle {
  /** Id of the run whose rows are shown; before the first rows, id of the run in progress. */
  readonly queryRunId: string | undefined;
  /** State of the fetch. A component that reads this member renders once each time it changes. */
  readonly state: QueryPhase;
  /** End of the run whose rows are shown, as ISO 8601; undefined before the first rows, and if the service does not report it. */
  readonly asOf: string | undefined;
  /**
   * Stops the fetch of this query, also for other components that use the same query. Withdraws the request for its run
   * unless another view of the statement waits for it. The rows that are shown stay.
   */
  cancel(): Promise<void>;
  /**
   * Runs the statement anew, whatever `maxAgeMinutes` is, and reads this view and all enabled views of the statement on
   * the page from the new run. Cancels a first fetch that is still in progress.
   */
  refresh(): Promise<void>;
}

/** Members of TanStack Query's results that the handle reads. */
interface FetchResult {
  readonly status: "pending" | "success" | "error";
  readonly fetchStatus: string;
  readonly dataUpdatedAt: number;
  readonly isPlaceholderData: boolean;
  readonly error: QuernError | null;
  refetch(options: { readonly cancelRefetch: boolean }): Promise<unknown>;
}

/** Adds the members of a `RunHandle` to a result of TanStack Query. */
export function useRunHandle<Row, Result extends FetchResult>(
  result: Result,
  queryKey: QueryKey,
  { request, statementKey, shown }: HookReadInput<Row>,
): Result & RunHandle {
  const queryClient = useQueryClient();
  const view = () => cachedQuery(queryClient, queryKey);
  const shared = () => metadataOf(queryClient)[hashKey(statementKey)]?.query;
  // The first render already reports `fetching` although the fetch has not begun.
  const phase = () => shared()?.phase ?? (view().state.fetchStatus === "idle" ? "queued" : "reading");
  const idInProgress = () =>
    view().state.fetchStatus === "idle" ? undefined : (metadataOf(view()).queryRunId ?? shared()?.started?.queryRunId);
  /** Members that the component has read, and the values of the others in its first render: they render nothing. */
  const [follows] = useState(() => ({ phase: false, id: false, unread: { phase: phase(), id: idInProgress() } }));
  const followed = () =>
    `${follows.phase ? phase() : follows.unread.phase} ${follows.id ? idInProgress() : follows.unread.id}`;
  // Notified together with the observer of TanStack Query, so that the component renders once.
  const subscribe = useCallback(
    (onChange: () => void) => queryClient.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    [queryClient],
  );
  useSyncExternalStore(subscribe, followed, followed);
  useEffect(() => {
    checkSchema(view(), request);
    if (view().state.data) shown.current = view();
    if (follows.phase) shared()?.follow();
  });

  /** Returns the run whose rows are shown. Reading `dataUpdatedAt` subscribes the component to changes of the data. */
  function run() {
    void result.dataUpdatedAt;
    return runOf(result.isPlaceholderData ? shown.current : view());
  }

  const handle = {
    get queryRunId() {
      follows.id = true;
      return run()?.queryRunId ?? idInProgress();
    },
    get state(): QueryPhase {
      const { fetchStatus, status, error } = result;
      if (fetchStatus === "paused") return fetchStatus;
      follows.phase = true;
      if (fetchStatus === "fetching") return phase();
      if (metadataOf(view()).isCanceled || error?.kind === "canceled") return "canceled";
      return status === "pending" ? "idle" : status;
    },
    get asOf() {
      return run()?.asOf ?? undefined;
    },
    cancel: () => queryClient.cancelQueries({ queryKey, exact: true }),
    async refresh() {
      // Without data, a refetch would join the first fetch instead of running the statement anew.
      if (!view().state.data) await handle.cancel();
      metadataOf(view()).isForced = true;
      const all = queryClient.invalidateQueries({ queryKey: statementKey });
      // `invalidateQueries` does not refetch a query that is disabled.
      await result.refetch({ cancelRefetch: false });
      await all;
    },
  };
  // TanStack Query tracks which members a component reads, so each is passed on when it is read.
  for (const name of Object.keys(result) as (keyof Result)[]) {
    Object.defineProperty(handle, name, { enumerable: true, get: () => result[name] });
  }
  return handle as Result & RunHandle; // The loop has added the members of `Result`.
}
