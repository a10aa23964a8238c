import { getContext, setContext } from "svelte";
import {
  createPanelQueue,
  defaultConcurrency,
  type Enqueue,
  immediately,
  type PanelQueue,
} from "#query-options/panel-queue";

/** Options that decide when the query of a panel starts in the queue of a dashboard. */
export interface PanelOptions {
  /** Returns the element of the panel on the page: panels in view start first. A panel without an element counts as in view. */
  readonly element?: (() => Element | null | undefined) | undefined;
  /**
   * Order among panels that are all in view, or all out of it; the higher number starts first.
   * @default 0
   */
  readonly priority?: number | undefined;
}

const key = /*@__PURE__*/ Symbol();

/**
 * Queues the queries of this component and those below it and limits their concurrency; panels in view start first.
 * @param concurrency Maximum number of queries that are in progress at the same time. By default 50, the maximum number
 *   of calls in one batch.
 */
export function setDashboardContext(concurrency: () => number = () => defaultConcurrency): void {
  const queue = createPanelQueue(concurrency());
  setContext(key, queue.enqueueAs);
  $effect(() => queue.setConcurrency(concurrency()));
}

/** Returns the queue of the nearest dashboard, to pass to an options factory. Without a dashboard the query starts at once. */
export function usePanelQueue(options: () => PanelOptions = () => ({})): Enqueue {
  const enqueueAs = getContext<PanelQueue["enqueueAs"] | undefined>(key);
  if (!enqueueAs) return immediately;
  return enqueueAs({
    get current() {
      const { element, priority } = options();
      return { element: { current: element?.() ?? null }, priority };
    },
  });
}
