import { useState } from "react";
import { exactText, isNested, visible } from "./cell-text.ts";

interface CellPanelProps {
  readonly name: string;
  readonly engineType: string;
  /** Number of the row, from 1. */
  readonly rowNumber: number;
  readonly value: unknown;
  readonly onClose: () => void;
}

/** Characters that the panel draws; a copy has all. */
const DRAWN_LENGTH = 100_000;
/** Members that an unfolded value shows at first. */
const MEMBERS = 200;

/** The whole value of a cell, with nested values as a tree. */
export function CellPanel({ name, engineType, rowNumber, value, onClose }: CellPanelProps) {
  const text = exactText(value);
  return (
    <aside className="cell-panel" aria-label="Cell">
      <header>
        <h2>
          <bdi>{visible(name)}</bdi>
        </h2>
        <button type="button" onClick={onClose} aria-label="Close the cell" title="Close (Escape)">
          ×
        </button>
      </header>
      <p className="quiet">{`${engineType} · row ${rowNumber.toLocaleString("en-US")}`}</p>
      {isNested(value) ? (
        <Nested value={value} isOpen />
      ) : value === null ? (
        <p className="null">NULL</p>
      ) : text === "" ? (
        <p className="empty">empty text</p>
      ) : (
        <LongText text={text} />
      )}
    </aside>
  );
}

/** Line breaks and tabs are kept; other invisible characters are shown by their number. */
function LongText({ text }: { readonly text: string }) {
  const drawn = text.slice(0, DRAWN_LENGTH).split(/([\n\t])/);
  return (
    <>
      <pre>
        <bdi>{drawn.map((part) => (part === "\n" || part === "\t" ? part : visible(part))).join("")}</bdi>
      </pre>
      {text.length > DRAWN_LENGTH && (
        <p className="quiet">{`The first ${DRAWN_LENGTH.toLocaleString("en-US")} of ${text.length.toLocaleString("en-US")} characters.`}</p>
      )}
    </>
  );
}

function Nested({ value, isOpen = false }: { readonly value: unknown; readonly isOpen?: boolean }) {
  const [count, setCount] = useState(MEMBERS);
  const [open, setOpen] = useState(isOpen);
  if (!isNested(value)) {
    if (typeof value === "string")
      return value === "" ? <span className="empty">empty</span> : <bdi>{visible(value)}</bdi>;
    return <span className={value === null ? "null" : "number"}>{exactText(value)}</span>;
  }
  const members = Object.entries(Object(value));
  return (
    <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>{Array.isArray(value) ? `${members.length} elements` : `${members.length} members`}</summary>
      {open && (
        <ul>
          {members.slice(0, count).map(([key, member]) => (
            <li key={key}>
              <bdi className="key">{visible(key)}</bdi>: <Nested value={member} />
            </li>
          ))}
          {members.length > count && (
            <li>
              <button
                type="button"
                onClick={() => setCount(count + MEMBERS)}
              >{`${members.length - count} more`}</button>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}
