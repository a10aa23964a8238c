import { type Query, useQueryClient } from "@tanstack/svelte-query";
import { createSubscriber } from "svelte/reactivity";
import { derivedInput, type LiveInput, liveInput } from "#query-options/live-input";
import type { ReadInput } from "#query-options/open-run";
import type { RowsQuery } from "#query-options/rows-query";
import {
  type FetchResult,
  observeRun,
  onFollowedChange,
  onStateRead,
  type RunHandle,
  type ShownInput,
  withResult,
} from "#query-options/run-handle";
import { useClient } from "./client-context.ts";
import { type PanelOptions, usePanelQueue } from "./dashboard-context.svelte.ts";

/** Returns the input of the fetches of a component. */
export function useReadInput<Row, Options extends { readonly queryKey: readonly unknown[] }>(
  query: () => RowsQuery<Row>,
  panel: () => PanelOptions,
  optionsOf: (input: ReadInput<Row>) => Options,
): LiveInput<Row, Options> {
  const client = useClient();
  const enqueue = usePanelQueue(panel);
  const shown: { current: Query | undefined } = { current: undefined };
  const latest = $derived(derivedInput(client, query(), enqueue, shown, optionsOf));
  return liveInput(shown, () => latest);
}

/** Adds the members of a `RunHandle` to a result of TanStack Query. */
export function useRunHandle<Row, Result extends FetchResult>(
  result: Result,
  input: ShownInput<Row>,
): Result & RunHandle {
  const queryClient = useQueryClient();
  const [handle, followed, onShown] = observeRun(queryClient, result, input, {});
  const subscribe = createSubscriber((update) => onFollowedChange(queryClient, followed, update));
  $effect(() => {
    subscribe();
    void [result.fetchStatus, result.dataUpdatedAt];
    onShown();
  });
  const stateRead = onStateRead(onShown);
  const { cancel, refresh } = handle;
  const tracked: RunHandle = {
    get queryRunId() {
      subscribe();
      return handle.queryRunId;
    },
    get state() {
      subscribe();
      stateRead();
      return handle.state;
    },
    get asOf() {
      subscribe();
      return handle.asOf;
    },
    cancel,
    refresh,
  };
  return withResult(tracked, result);
}
