import { createContext, createElement, type ReactNode, useContext, useMemo } from "react";
import { atOnce, createTurns, type Place, type Turn } from "./turns.ts";

const TurnsContext = /*@__PURE__*/ createContext<(place: Place) => Turn>(() => atOnce);

export interface QuernDashboardProps {
  /** How many of its queries may run at a time; 50 by default, which one request creates. */
  readonly atOnce?: number | undefined;
  readonly children?: ReactNode;
}

/** Queues the queries of the hooks below it: those of panels in view first, so many at a time. */
export function QuernDashboard({ atOnce: most = 50, children }: QuernDashboardProps) {
  const turns = useMemo(() => createTurns(most), [most]);
  return createElement(TurnsContext.Provider, { value: turns }, children);
}

/** A turn of the nearest `QuernDashboard` for options of your own; without one there is no queue. */
export function useTurn(place: Place = {}): Turn {
  return useContext(TurnsContext)(place);
}
