"use client";

import { createContext, createElement, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import {
  createPanelQueue,
  defaultConcurrency,
  type Enqueue,
  immediately,
  type PanelOptions,
  type PanelQueue,
} from "#query-options/panel-queue";

const PanelQueueContext = /*@__PURE__*/ createContext<PanelQueue["enqueueAs"]>(() => immediately);

export interface QuernDashboardProps {
  /**
   * Maximum number of queries of the dashboard that are in progress at the same time.
   * @default 50, the maximum number of calls in one batch
   */
  readonly concurrency?: number | undefined;
  readonly children?: ReactNode;
}

/** Queues the queries of the components below it and limits their concurrency; panels in view start first. */
export function QuernDashboard({ concurrency = defaultConcurrency, children }: QuernDashboardProps) {
  const [queue] = useState(() => createPanelQueue(concurrency));
  useEffect(() => queue.setConcurrency(concurrency), [queue, concurrency]);
  return createElement(PanelQueueContext.Provider, { value: queue.enqueueAs }, children);
}

/** Returns the queue of the nearest `QuernDashboard`, to pass to an options factory. Without a dashboard the query starts at once. */
export function usePanelQueue(options: PanelOptions = {}): Enqueue {
  const enqueueAs = useContext(PanelQueueContext);
  const latest = useRef(options);
  useEffect(() => {
    latest.current = options;
  });
  return enqueueAs(latest);
}
