import { type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";

interface MenuProps {
  readonly label: string;
  readonly items: readonly { readonly label: string; readonly onSelect: () => void }[];
  readonly children?: ReactNode;
}

/** Button that opens a list of actions. Escape and a click elsewhere close it; the arrow keys move in it. */
export function Menu({ label, items }: MenuProps) {
  const details = useRef<HTMLDetailsElement>(null);

  useEffect(() => {
    const close = ({ target }: Event) => {
      if (details.current !== null && target instanceof Node && !details.current.contains(target))
        details.current.open = false;
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, []);

  function close() {
    if (details.current === null) return;
    details.current.open = false;
    details.current.querySelector("summary")?.focus();
  }
  function onKeyDown(event: KeyboardEvent) {
    const buttons = [...(details.current?.querySelectorAll("button") ?? [])];
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (event.key === "Escape" && details.current?.open) close();
    else if (step !== undefined && details.current?.open) {
      const index = buttons.findIndex((button) => button.matches(":focus"));
      buttons[(index + step + buttons.length) % buttons.length]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  }
  return (
    <details ref={details} className="menu" onKeyDown={onKeyDown}>
      <summary>{label}</summary>
      <ul>
        {items.map((item) => (
          <li key={item.label}>
            <button
              type="button"
              onClick={() => {
                close();
                item.onSelect();
              }}
            >
              {item.label}
            </button>
          </li>
        ))}
      </ul>
    </details>
  );
}
