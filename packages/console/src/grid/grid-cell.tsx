import { memo } from "react";
import { cellText, isNested } from "./cell-text.ts";

interface GridCellProps {
  readonly id: string;
  readonly value: unknown;
  /** False while the row is fetched. */
  readonly isLoaded: boolean;
  readonly row: number;
  readonly column: number;
  readonly left: number;
  readonly width: number;
  readonly isNumber: boolean;
  readonly isActive: boolean;
  readonly isSelected: boolean;
}

const MARKS: Readonly<Record<string, string>> = { pending: "…", null: "NULL", empty: "empty" };

/** Cell of a result. The text is isolated, so that its direction changes nothing around it. */
export const GridCell = memo(function GridCell({
  id,
  value,
  isLoaded,
  row,
  column,
  left,
  width,
  isNumber,
  isActive,
  isSelected,
}: GridCellProps) {
  const kind = !isLoaded
    ? "pending"
    : value === null
      ? "null"
      : value === ""
        ? "empty"
        : isNested(value)
          ? "nested"
          : "";
  const text = MARKS[kind] ?? cellText(value);
  return (
    <div
      id={id}
      role="gridcell"
      tabIndex={-1}
      aria-colindex={column + 2}
      aria-selected={isSelected}
      className={`cell ${kind}${isNumber ? " number" : ""}${isActive ? " active" : ""}${isSelected ? " selected" : ""}`}
      data-row={row}
      data-column={column}
      style={{ left, width }}
    >
      <bdi>{text}</bdi>
    </div>
  );
});
