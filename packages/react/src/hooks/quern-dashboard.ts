"use client";

import { createContext, createElement, type ReactNode, useContext, useEffect, useRef, useState } from "react";
import { atOnce, createTurns, type Place, type Turn, type Turns } from "../options/turns.ts";

const TurnsContext = /*@__PURE__*/ createContext<Turns["turnAt"]>(() => atOnce);

export interface QuernDashboardProps {
  /** How many of its queries may run at a time; 50 by default, which one request creates. */
  readonly atOnce?: number | undefined;
  readonly children?: ReactNode;
}

/** Queues the queries of the hooks below it: those of panels in view first, so many at a time. */
export function QuernDashboard({ atOnce: most = 50, children }: QuernDashboardProps) {
  const [turns] = useState(() => createTurns(most));
  useEffect(() => turns.allow(most), [turns, most]);
  return createElement(TurnsContext.Provider, { value: turns.turnAt }, children);
}

/** A turn of the nearest `QuernDashboard` for options of your own; without one there is no queue. */
export function useTurn(place: Place = {}): Turn {
  const turnAt = useContext(TurnsContext);
  const kept = useRef(place);
  useEffect(() => {
    kept.current = place;
  });
  return turnAt(kept);
}
