import { defineComponent, type InjectionKey, inject, type MaybeRefOrGetter, provide, toValue, watch } from "vue";
import {
  createPanelQueue,
  defaultConcurrency,
  type Enqueue,
  immediately,
  type PanelQueue,
} from "#query-options/panel-queue";

/** Options that decide when the query of a panel starts in the queue of a `QuernDashboard`. */
export interface PanelOptions {
  /** Element of the panel on the page: panels in view start first. A panel without an element counts as in view. */
  readonly element?: MaybeRefOrGetter<Element | null | undefined>;
  /**
   * Order among panels that are all in view, or all out of it; the higher number starts first.
   * @default 0
   */
  readonly priority?: number | undefined;
}

const enqueueKey: InjectionKey<PanelQueue["enqueueAs"]> = /*@__PURE__*/ Symbol();

/**
 * Queues the queries of the components below it and limits their `concurrency`; panels in view start first. By default
 * 50 queries are in progress at the same time, the maximum number of calls in one batch.
 */
export const QuernDashboard = /*@__PURE__*/ defineComponent(
  (props: { readonly concurrency?: number }, { slots }) => {
    const concurrency = () => props.concurrency ?? defaultConcurrency;
    const queue = createPanelQueue(concurrency());
    watch(concurrency, queue.setConcurrency);
    provide(enqueueKey, queue.enqueueAs);
    return () => slots["default"]?.();
  },
  { name: "QuernDashboard", props: ["concurrency"] },
);

/** Returns the queue of the nearest `QuernDashboard`, to pass to an options factory. Without a dashboard the query starts at once. */
export function usePanelQueue(options: MaybeRefOrGetter<PanelOptions> = {}): Enqueue {
  const enqueueAs = inject(enqueueKey, undefined);
  if (!enqueueAs) return immediately;
  return enqueueAs({
    get current() {
      const { element, priority } = toValue(options);
      return { element: { current: toValue(element) ?? null }, priority };
    },
  });
}
