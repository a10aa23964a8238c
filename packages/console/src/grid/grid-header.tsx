import { type DragEvent, type PointerEvent, useRef, useState } from "react";
import { visible } from "./cell-text.ts";
import { directionOf, type GridView } from "./grid-view.ts";

interface GridHeaderProps {
  readonly id: string;
  readonly name: string;
  readonly engineType: string;
  readonly column: number;
  readonly left: number;
  readonly width: number;
  readonly view: GridView;
  readonly isActive: boolean;
  readonly onSort: (isAdded: boolean) => void;
  readonly onProfile: () => void;
  readonly onResize: (width: number) => void;
  /** Moves a column to the place of another one. */
  readonly onMove: (from: number, to: number) => void;
}

/** Kind of the dragged data. No other element accepts it. */
const DRAGGED = "application/x-quern-column";

const ARIA_SORT = { asc: "ascending", desc: "descending" } as const;

/** Header of a column: its name, engine type and order. A click sorts, a drag moves the column, and the right edge resizes it. */
export function GridHeader(props: GridHeaderProps) {
  const { id, name, engineType, column, left, width, view, isActive, onSort, onProfile, onResize, onMove } = props;
  const direction = directionOf(view, name);
  const rank = view.sortBy.findIndex((each) => each.column.toLowerCase() === name.toLowerCase());

  const isResizing = useRef(false);
  const [isTarget, setTarget] = useState(false);

  function onDragStart(event: DragEvent<HTMLDivElement>) {
    if (isResizing.current) event.preventDefault();
    else event.dataTransfer.setData(DRAGGED, String(column));
  }
  function onDragOver(event: DragEvent<HTMLDivElement>) {
    if (!event.dataTransfer.types.includes(DRAGGED)) return;
    event.preventDefault();
    setTarget(true);
  }
  function onDrop(event: DragEvent<HTMLDivElement>) {
    event.preventDefault();
    setTarget(false);
    onMove(Number(event.dataTransfer.getData(DRAGGED)), column);
  }
  function onPointerMove(event: PointerEvent<HTMLSpanElement>) {
    if (event.currentTarget.hasPointerCapture(event.pointerId)) onResize(width + event.movementX);
  }
  return (
    <div
      id={id}
      role="columnheader"
      tabIndex={-1}
      aria-colindex={column + 2}
      aria-sort={direction === undefined ? "none" : ARIA_SORT[direction]}
      className={`header${isActive ? " active" : ""}${isTarget ? " target" : ""}`}
      style={{ left, width }}
      title={`${visible(name)}: ${engineType}. Click: sort; Shift-click: add to the order. Drag or Alt-arrow: move.`}
      draggable
      onDragStart={onDragStart}
      onDragOver={onDragOver}
      onDragLeave={() => setTarget(false)}
      onDrop={onDrop}
      onClick={(event) => onSort(event.shiftKey)}
      onKeyDown={(event) => event.key === "Enter" && onSort(event.shiftKey)}
    >
      <bdi className="name">{visible(name)}</bdi>
      {direction !== undefined && (
        <span className="order">{`${direction === "asc" ? "▲" : "▼"}${view.sortBy.length > 1 ? rank + 1 : ""}`}</span>
      )}
      <span className="type">{engineType}</span>
      <button
        type="button"
        className="profile-button"
        tabIndex={-1}
        aria-label={`Profile of ${visible(name)}`}
        title="Profile of the column (Alt-P)"
        onClick={(event) => {
          event.stopPropagation();
          onProfile();
        }}
        onKeyDown={(event) => event.stopPropagation()}
      >
        Σ
      </button>
      <span
        className="resize"
        aria-hidden="true"
        onClick={(event) => event.stopPropagation()}
        onPointerDown={(event) => {
          isResizing.current = true;
          event.currentTarget.setPointerCapture(event.pointerId);
        }}
        onLostPointerCapture={() => {
          isResizing.current = false;
        }}
        onPointerMove={onPointerMove}
      />
    </div>
  );
}
