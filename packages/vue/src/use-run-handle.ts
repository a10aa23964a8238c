import { type Query, useQueryClient } from "@tanstack/vue-query";
import {
  type ComputedRef,
  computed,
  type MaybeRefOrGetter,
  onScopeDispose,
  proxyRefs,
  type Ref,
  shallowRef,
  toValue,
  watchEffect,
} from "vue";
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
} from "#query-options/run-handle";
import { type PanelOptions, usePanelQueue } from "./quern-dashboard.ts";
import { useClient } from "./quern-provider.ts";

/** Members that a composable adds to the result of TanStack Query: those of `RunHandle`, as refs. */
export type RunRefs = {
  readonly [Name in "queryRunId" | "state" | "asOf"]: ComputedRef<RunHandle[Name]>;
} & Pick<RunHandle, "cancel" | "refresh">;

/** Returns the input of the fetches of a component. */
export function useReadInput<Row, Options extends { readonly queryKey: readonly unknown[] }>(
  query: MaybeRefOrGetter<RowsQuery<Row>>,
  panel: MaybeRefOrGetter<PanelOptions>,
  optionsOf: (input: ReadInput<Row>) => Options,
): LiveInput<Row, Options> {
  const client = useClient();
  const enqueue = usePanelQueue(panel);
  const shown: { current: Query | undefined } = { current: undefined };
  const latest = computed(() => derivedInput(client, toValue(query), enqueue, shown, optionsOf));
  return liveInput(shown, () => latest.value);
}

type FetchRefs = { readonly [Name in Exclude<keyof FetchResult, "refetch">]: Ref<FetchResult[Name]> } & Pick<
  FetchResult,
  "refetch"
>;

/** Adds the members of a `RunHandle` to a result of TanStack Query, as refs. */
export function useRunHandle<Row, Result extends FetchRefs>(result: Result, input: ShownInput<Row>): Result & RunRefs {
  const queryClient = useQueryClient();
  const fetched = proxyRefs(result);
  const [handle, followed, onShown] = observeRun(queryClient, fetched, input, {});
  const changes = shallowRef(0);
  onScopeDispose(onFollowedChange(queryClient, followed, () => (changes.value += 1)));
  watchEffect(
    () => {
      void [changes.value, fetched.fetchStatus, fetched.dataUpdatedAt];
      onShown();
    },
    { flush: "post" },
  );
  const member = <Name extends keyof RunHandle>(name: Name) => computed(() => (void changes.value, handle[name]));
  const { cancel, refresh } = handle;
  const [queryRunId, asOf] = [member("queryRunId"), member("asOf")];
  const stateRead = onStateRead(onShown);
  const state = computed(() => {
    void changes.value;
    stateRead();
    return handle.state;
  });
  return { ...result, queryRunId, state, asOf, cancel, refresh };
}
