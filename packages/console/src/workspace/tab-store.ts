import { createTab, mergeTabs, parseTabs, type Tab } from "./tab.ts";

/** The tabs of a user, kept by the browser and shared by its windows. */
export interface TabStore {
  readonly subscribe: (listener: () => void) => () => void;
  /** Returns all tabs, closed ones included. The array changes only if a tab has changed. */
  readonly tabs: () => readonly Tab[];
  readonly change: (id: string, members: Partial<Tab>) => void;
  readonly add: (members?: Partial<Tab>) => Tab;
}

const CLOSED_KEPT = 20;

/** @param scope tells the users of a browser apart. The address of the page tells services of one origin apart. */
export function createTabStore(scope: string): TabStore {
  const name = `quern.console.tabs ${location.pathname} ${scope}`;
  const listeners = new Set<() => void>();
  let tabs = parseTabs(localStorage.getItem(name));
  const ensureOne = () => {
    if (tabs.every(({ isClosed }) => isClosed)) tabs = [...tabs, createTab(1)];
  };

  const publish = () => {
    for (const listener of listeners) listener();
  };
  const save = () => {
    const merged = mergeTabs(tabs, parseTabs(localStorage.getItem(name)));
    const closed = merged.filter(({ isClosed }) => isClosed).slice(-CLOSED_KEPT);
    tabs = merged.filter((tab) => !tab.isClosed || closed.includes(tab));
    ensureOne();
    try {
      localStorage.setItem(name, JSON.stringify(tabs));
    } catch {
      // The storage is full: the tabs work on, and are lost with the window.
    }
    publish();
  };
  // The first tab is stored before its first change, so that another window finds it.
  if (tabs.every(({ isClosed }) => isClosed)) save();
  window.addEventListener("storage", ({ key }) => {
    if (key !== name) return;
    // The stored form first: it wins if both windows changed a tab in the same millisecond, so that both show the same.
    tabs = mergeTabs(parseTabs(localStorage.getItem(name)), tabs);
    ensureOne();
    publish();
  });

  return {
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    tabs: () => tabs,
    change(id, members) {
      tabs = tabs.map((tab) =>
        tab.id === id ? { ...tab, ...members, changedAt: Math.max(Date.now(), tab.changedAt + 1) } : tab,
      );
      save();
    },
    add(members) {
      const numbers = tabs.map((tab) => Number(tab.name.match(/^Query (\d+)$/)?.[1] ?? 0));
      const tab = createTab(Math.max(0, ...numbers) + 1, members);
      tabs = [...tabs, tab];
      save();
      return tab;
    },
  };
}
