import type { KeyboardEvent } from "react";
import type { Tabs } from "./use-tabs.ts";

/** The open tabs. The arrow keys move between them, Delete closes one, and F2 or a double click renames it. */
export function TabBar({ tabs, active, select, change, open, close }: Tabs) {
  function rename(id: string, name: string) {
    const entered = window.prompt("Name of the tab", name)?.trim();
    if (entered) change(id, { name: entered.slice(0, 80) });
  }
  function onKeyDown(event: KeyboardEvent<HTMLButtonElement>, index: number) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    const tab = tabs[index];
    if (step !== undefined) {
      const next = tabs[(index + step + tabs.length) % tabs.length];
      if (next === undefined) return;
      select(next.id);
      document.getElementById(`tab-${next.id}`)?.focus();
    } else if (event.key === "Delete" && tab !== undefined) close(tab.id);
    else if (event.key === "F2" && tab !== undefined) rename(tab.id, tab.name);
    else return;
    event.preventDefault();
  }
  return (
    <nav className="tabs" aria-label="Tabs">
      <div role="tablist" aria-label="Queries">
        {tabs.map(({ id, name }, index) => (
          <button
            key={id}
            id={`tab-${id}`}
            type="button"
            role="tab"
            aria-selected={id === active.id}
            aria-controls="workspace"
            tabIndex={id === active.id ? 0 : -1}
            title="Double-click or F2: rename. Delete: close."
            onClick={() => select(id)}
            onDoubleClick={() => rename(id, name)}
            onKeyDown={(event) => onKeyDown(event, index)}
          >
            {name}
          </button>
        ))}
      </div>
      <button type="button" onClick={() => close(active.id)} aria-label={`Close ${active.name}`} title="Close the tab">
        ×
      </button>
      <button type="button" onClick={() => open()} aria-label="New tab" title="New tab">
        +
      </button>
    </nav>
  );
}
