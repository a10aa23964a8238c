import { notifyManager, type Query, type QueryKey, useQueryClient } from "@tanstack/react-query";
import { type RefObject, useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import { type ReadInput, readInput } from "#query-options/open-run";
import type { PanelOptions } from "#query-options/panel-queue";
import type { RowsQuery } from "#query-options/rows-query";
import {
  type FetchResult,
  type Follows,
  observeRun,
  type RunHandle,
  type ShownInput,
  withResult,
} from "#query-options/run-handle";
import { useClient } from "./quern-context.ts";
import { usePanelQueue } from "./quern-dashboard.ts";

interface HookInput<Row> extends ReadInput<Row> {
  readonly shown: RefObject<Query | undefined>;
}

/** Returns the input of a fetch: the client, the query, and the queue of the panel. */
export function useReadInput<Row>(request: RowsQuery<Row>, panel: PanelOptions): HookInput<Row> {
  const input = readInput(useClient(), request, usePanelQueue(panel));
  return { ...input, shown: useRef<Query>(undefined) };
}

/** Adds the members of a `RunHandle` to a result of TanStack Query. */
export function useRunHandle<Row, Result extends FetchResult>(
  result: Result,
  queryKey: QueryKey,
  input: HookInput<Row>,
): Result & RunHandle {
  const queryClient = useQueryClient();
  const follows = useRef<Follows>({}).current;
  const [handle, followed, onShown] = observeRun(queryClient, result, { ...input, queryKey }, follows);
  // Notified together with the observer of TanStack Query, so that the component renders once.
  const subscribe = useCallback(
    (onChange: () => void) => queryClient.getQueryCache().subscribe(notifyManager.batchCalls(onChange)),
    [queryClient],
  );
  useSyncExternalStore(subscribe, followed, followed);
  useEffect(onShown);
  return withResult(handle, result);
}
