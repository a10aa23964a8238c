const NAME = "quern.console.shown-tabs";
/** A window says again which tab it shows after this time, in milliseconds. */
const REFRESH_MS = 5_000;
/** A window that has said nothing for this time, in milliseconds, is gone. Hidden windows may be late by a minute. */
const GONE_MS = 90_000;
const ownWindow = Math.random().toString(36).slice(2);

interface ShownTab {
  readonly id: string;
  /** Time in milliseconds. */
  readonly at: number;
}

/** Returns the tabs that other windows of the browser show, by the ids of the windows. */
function shownTabs(): ReadonlyMap<string, ShownTab> {
  try {
    const entries: readonly (readonly [string, ShownTab])[] = Object.entries(
      JSON.parse(localStorage.getItem(NAME) ?? "{}"),
    );
    return new Map(entries.filter(([window, { at }]) => window !== ownWindow && Date.now() - at < GONE_MS));
  } catch {
    return new Map();
  }
}

function store(own: ShownTab | undefined): void {
  const shown = Object.fromEntries([...shownTabs(), ...(own === undefined ? [] : [[ownWindow, own] as const])]);
  try {
    localStorage.setItem(NAME, JSON.stringify(shown));
  } catch {
    // The storage is full: a new window may begin with the tab of this one.
  }
}

export function isShownElsewhere(id: string): boolean {
  return [...shownTabs().values()].some((tab) => tab.id === id);
}

/** Tells other windows that this one shows a tab, until the returned function is called or the window closes. */
export function announceShown(id: string): () => void {
  const announce = () => store({ id, at: Date.now() });
  const leave = () => store(undefined);
  announce();
  const timer = setInterval(announce, REFRESH_MS);
  window.addEventListener("pagehide", leave);
  return () => {
    clearInterval(timer);
    window.removeEventListener("pagehide", leave);
    leave();
  };
}
