import { useCallback, useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import { linkedRunId } from "../run-link.ts";
import { announceShown, isShownElsewhere } from "./shown-tabs.ts";
import type { Tab } from "./tab.ts";
import { createTabStore, type TabStore } from "./tab-store.ts";

export interface Tabs {
  readonly tabs: readonly Tab[];
  readonly active: Tab;
  /** Returns a tab as it is now; undefined if it is closed or the user has signed out. */
  current(id: string): Tab | undefined;
  select(id: string): void;
  change(id: string, members: Partial<Tab>): void;
  /** Adds a tab and selects it. */
  open(members?: Partial<Tab>): Tab;
  close(id: string): void;
}

const ACTIVE = "quern.console.active-tab";

/** Returns the tab with which a new window begins: one that no other window shows. A window of a link opens its own tab. */
function firstTab(store: TabStore): string | null {
  const free = store.tabs().find(({ id, isClosed }) => !isClosed && !isShownElsewhere(id));
  if (free === undefined && linkedRunId() !== undefined) return null;
  return (free ?? store.add()).id;
}

/**
 * Tabs of the user. Each window has an active tab of its own.
 * @param onSelect called when the user selects or opens a tab
 */
export function useTabs(scope: string, onSelect: () => void): Tabs {
  const store = useMemo(() => createTabStore(scope), [scope]);
  const all = useSyncExternalStore(store.subscribe, store.tabs);
  const [activeId, setActiveId] = useState(() => sessionStorage.getItem(ACTIVE) ?? firstTab(store));
  const tabs = all.filter(({ isClosed }) => !isClosed);
  const active = tabs.find(({ id }) => id === activeId) ?? tabs[0];

  const shown = active?.id;
  useEffect(() => (shown === undefined ? undefined : announceShown(shown)), [shown]);

  const isOver = useRef(false);
  useEffect(() => {
    isOver.current = false;
    return () => {
      isOver.current = true;
    };
  }, []);
  const current = useCallback(
    (id: string) => (isOver.current ? undefined : store.tabs().find((tab) => tab.id === id && !tab.isClosed)),
    [store],
  );
  const latestOnSelect = useRef(onSelect);
  latestOnSelect.current = onSelect;
  const select = useCallback((id: string) => {
    sessionStorage.setItem(ACTIVE, id);
    setActiveId(id);
    latestOnSelect.current();
  }, []);
  const open = useCallback(
    (members?: Partial<Tab>) => {
      const tab = store.add(members);
      select(tab.id);
      return tab;
    },
    [store, select],
  );
  const close = useCallback(
    (id: string) => {
      const open = store.tabs().filter(({ isClosed }) => !isClosed);
      const index = open.findIndex((tab) => tab.id === id);
      const neighbour = open[index + 1] ?? open[index - 1] ?? store.add();
      store.change(id, { isClosed: true });
      setActiveId((current) => (current === id || current === null ? neighbour.id : current));
    },
    [store],
  );
  if (active === undefined) throw new Error("no tab is open");
  return { tabs, active, current, select, change: store.change, open, close };
}
