import type { QuernError } from "@quern/client";
import { hashKey, notifyManager, type Query, type QueryClient, type QueryKey } from "@tanstack/query-core";
import { cachedQuery, checkSchema, metadataOf, type ReadInput, runOf } from "./open-run.ts";

/** Input of the fetches of a component, and the key of the view that it shows. */
export interface ShownInput<Row> extends Pick<ReadInput<Row>, "request" | "statementKey"> {
  readonly queryKey: QueryKey;
  /** Set by the handle. */
  readonly shown: { current: Query | undefined };
}

/**
 * State of a query: `idle` until it is enabled, `queued` until its run executes, `running`, `reading` its rows, then `success`,
 * `error` or `canceled`. `paused` while the browser is offline and no request has been sent.
 */
export type QueryPhase = "idle" | "queued" | "running" | "reading" | "success" | "error" | "canceled" | "paused";

/** Members that are added to the result of TanStack Query. */
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
export interface FetchResult {
  readonly status: "pending" | "success" | "error";
  readonly fetchStatus: string;
  readonly dataUpdatedAt: number;
  readonly isPlaceholderData: boolean;
  readonly error: QuernError | null;
  refetch(options: { readonly cancelRefetch: boolean }): Promise<unknown>;
}

/** Members that a component has read, and the values of the others in its first render: they render nothing. */
export interface Follows {
  phase?: boolean;
  id?: boolean;
  unread?: readonly [phase: string, id: string | undefined];
}

type ObservedRun = readonly [
  handle: RunHandle,
  /** Returns a text that changes with the members that the component has read. */
  followed: () => string,
  /** Is called after a render, and after a change of what the component shows. */
  onShown: () => void,
];

/**
 * Observes the run of a query for a component.
 * @param result Result of TanStack Query. It is read when a member of the handle is read.
 * @param input Input of the present render. Its members are read when they are needed.
 * @param follows Record of the component, empty at first.
 */
export function observeRun<Row>(
  queryClient: QueryClient,
  result: FetchResult,
  input: ShownInput<Row>,
  follows: Follows,
): ObservedRun {
  const view = () => cachedQuery(queryClient, input.queryKey);
  const shared = () => metadataOf(queryClient)[hashKey(input.statementKey)]?.query;
  // The first render already reports `fetching` although the fetch has not begun.
  const phase = () => shared()?.phase ?? (view().state.fetchStatus === "idle" ? "queued" : "reading");
  const idInProgress = () =>
    view().state.fetchStatus === "idle" ? undefined : (metadataOf(view()).queryRunId ?? shared()?.started?.queryRunId);
  // biome-ignore lint/suspicious/noAssignInExpressions: two statements would make the package larger.
  const [unreadPhase, unreadId] = (follows.unread ??= [phase(), idInProgress()]);

  /** Returns the run whose rows are shown. Reading `dataUpdatedAt` subscribes the component to changes of the data. */
  function run() {
    void result.dataUpdatedAt;
    return runOf(result.isPlaceholderData ? input.shown.current : view());
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
    cancel: () => queryClient.cancelQueries({ queryKey: input.queryKey, exact: true }),
    async refresh() {
      // Without data, a refetch would join the first fetch instead of running the statement anew.
      if (!view().state.data) await handle.cancel();
      metadataOf(view()).isForced = true;
      const all = queryClient.invalidateQueries({ queryKey: input.statementKey });
      // `invalidateQueries` does not refetch a query that is disabled.
      await result.refetch({ cancelRefetch: false });
      await all;
    },
  };

  return [
    handle,
    () => `${follows.phase ? phase() : unreadPhase} ${follows.id ? idInProgress() : unreadId}`,
    () => {
      checkSchema(view(), input.request);
      if (view().state.data) input.shown.current = view();
      if (follows.phase) shared()?.follow();
    },
  ];
}

/** Calls a function when a member that the component has read changes. Returns the function that ends this. */
export function onFollowedChange(queryClient: QueryClient, followed: () => string, onChange: () => void): () => void {
  let last = followed();
  let isOver = false;
  // In a later task, so that changes at the same time call the function once.
  const check = notifyManager.batchCalls(() => {
    if (isOver) return;
    const next = followed();
    if (next === last) return;
    last = next;
    onChange();
  });
  const unsubscribe = queryClient.getQueryCache().subscribe(check);
  return () => {
    isOver = true;
    unsubscribe();
  };
}

/** Returns a function to call when a component reads the state: if it first does so after its last effect, it follows the run from then on. */
export function onStateRead(onShown: () => void): () => void {
  let isRead = false;
  return () => {
    if (!isRead) void Promise.resolve().then(onShown);
    isRead = true;
  };
}

/**
 * Returns the handle with the members of the result. TanStack Query tracks which members a component reads, so each is
 * passed on when it is read.
 */
export function withResult<Result extends object>(handle: RunHandle, result: Result): Result & RunHandle {
  for (const name of Object.keys(result) as (keyof Result)[]) {
    Object.defineProperty(handle, name, { enumerable: true, get: () => result[name] });
  }
  return handle as Result & RunHandle; // The loop has added the members of `Result`.
}
