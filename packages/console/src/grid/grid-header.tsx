import type { PointerEvent } from "react";
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
  readonly onResize: (width: number) => void;
}

const ARIA_SORT = { asc: "ascending", desc: "descending" } as const;

/** Header of a column: its name, engine type and order. A click changes the order, and the right edge the width. */
export function GridHeader(props: GridHeaderProps) {
  const { id, name, engineType, column, left, width, view, isActive, onSort, onResize } = props;
  const direction = directionOf(view, name);
  const rank = view.sortBy.findIndex((each) => each.column.toLowerCase() === name.toLowerCase());

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
      className={`header${isActive ? " active" : ""}`}
      style={{ left, width }}
      title={`${visible(name)}: ${engineType}. Click: sort; Shift-click: add to the order.`}
      onClick={(event) => onSort(event.shiftKey)}
      onKeyDown={(event) => event.key === "Enter" && onSort(event.shiftKey)}
    >
      <bdi className="name">{visible(name)}</bdi>
      {direction !== undefined && (
        <span className="order">{`${direction === "asc" ? "▲" : "▼"}${view.sortBy.length > 1 ? rank + 1 : ""}`}</span>
      )}
      <span className="type">{engineType}</span>
      <span
        className="resize"
        aria-hidden="true"
        onClick={(event) => event.stopPropagation()}
        onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
        onPointerMove={onPointerMove}
      />
    </div>
  );
}
