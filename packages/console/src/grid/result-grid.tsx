import type { GetQueryRunResultsResult } from "@quern/client";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type KeyboardEvent,
  type PointerEvent,
  type Ref,
  useEffect,
  useId,
  useImperativeHandle,
  useMemo,
  useRef,
} from "react";
import { clampWidth, columnWidths } from "./column-width.ts";
import { GridCell } from "./grid-cell.tsx";
import { GridHeader } from "./grid-header.tsx";
import { contentHeight, ROW_HEIGHT } from "./grid-scroll.ts";
import { type Cell, cellAfterKey, type GridSelection, isInRange, rangeOf } from "./grid-selection.ts";
import { type GridView, toggleSort } from "./grid-view.ts";
import { isNumeric } from "./is-numeric.ts";
import type { Row } from "./use-grid-pages.ts";
import { useGridScroll } from "./use-grid-scroll.ts";

const HEADER_HEIGHT = 44;
const NUMBER_WIDTH = 84;

export interface GridHandle {
  /** Selects a row, scrolls to it and moves the focus to the grid. */
  goTo(row: number): void;
  focus(): void;
}

interface ResultGridProps {
  readonly head: GetQueryRunResultsResult;
  readonly rowCount: number;
  readonly rowAt: (index: number) => Row | undefined;
  readonly view: GridView;
  readonly selection: GridSelection;
  readonly widths: Readonly<Record<string, number>>;
  readonly onView: (view: GridView) => void;
  readonly onSelect: (selection: GridSelection) => void;
  readonly onWidths: (widths: Readonly<Record<string, number>>) => void;
  /** Moves a column to another position. */
  readonly onMove: (from: number, to: number) => void;
  readonly onRange: (range: { readonly first: number; readonly end: number }) => void;
  readonly onOpen: (cell: Cell) => void;
  readonly onCopy: () => void;
  /** Opens the profile of a column. */
  readonly onProfile: (column: number) => void;
  /** Called for the Escape key. */
  readonly onEscape: () => void;
  readonly ref: Ref<GridHandle>;
}

/** Grid over all rows of a result. Only the cells in view are in the document. */
export function ResultGrid(props: ResultGridProps) {
  const { head, rowCount, rowAt, view, selection, widths, onView, onSelect, onRange, onOpen, onCopy, ref } = props;
  const id = useId();
  const scroller = useRef<HTMLDivElement>(null);
  const names = head.columnNames ?? [];
  const sizes = useMemo(() => columnWidths(head, widths), [head, widths]);
  const { position, viewHeight, onScroll, reveal } = useGridScroll(scroller, rowCount, HEADER_HEIGHT);
  const columns = useVirtualizer({
    horizontal: true,
    count: names.length,
    getScrollElement: () => scroller.current,
    estimateSize: (index) => sizes[index] ?? 100,
    paddingStart: NUMBER_WIDTH,
    scrollPaddingStart: NUMBER_WIDTH,
    overscan: 2,
    useFlushSync: false,
  });
  useEffect(() => columns.measure(), [sizes]);

  const first = Math.floor(position);
  const pageRows = Math.max(1, Math.floor(viewHeight / ROW_HEIGHT));
  const end = Math.min(rowCount, first + pageRows + 2);
  useEffect(() => onRange({ first, end }), [first, end, onRange]);

  // Another order or other filters start at the first row.
  const shownView = useRef(view);
  useEffect(() => {
    if (shownView.current !== view) reveal(0);
    shownView.current = view;
  }, [view, reveal]);

  const { active } = selection;
  const select = (cell: Cell, extend: boolean) => {
    onSelect({ active: cell, anchor: extend ? selection.anchor : cell });
    if (cell.row >= 0) reveal(cell.row);
    columns.scrollToIndex(cell.column, { align: "auto" });
  };
  useImperativeHandle(ref, () => ({
    goTo(row) {
      select({ row: Math.max(0, Math.min(rowCount - 1, row)), column: active.column }, false);
      scroller.current?.focus();
    },
    focus: () => scroller.current?.focus(),
  }));

  function resize(name: string, width: number) {
    props.onWidths({ ...widths, [name]: clampWidth(width) });
  }

  function move(from: number, to: number) {
    props.onMove(from, to);
    columns.scrollToIndex(Math.max(0, Math.min(names.length - 1, to)), { align: "auto" });
  }

  function onKeyDown(event: KeyboardEvent) {
    const name = names[active.column];
    const isCommand = event.ctrlKey || event.metaKey;
    const moved = event.altKey
      ? undefined
      : cellAfterKey(event, active, { rowCount, columnCount: names.length, pageRows });
    if (moved !== undefined) select(moved, event.shiftKey && moved.row >= 0);
    else if (event.altKey && /^Arrow(Left|Right)$/.test(event.key) && name !== undefined) {
      const step = event.key === "ArrowLeft" ? -1 : 1;
      if (event.shiftKey) resize(name, (sizes[active.column] ?? 100) + step * 20);
      else move(active.column, active.column + step);
    } else if (event.key === "Enter" && active.row < 0 && name !== undefined)
      onView(toggleSort(view, name, event.shiftKey));
    else if (event.key === "Enter" || event.key === " ") onOpen(active);
    else if (event.altKey && event.code === "KeyP") props.onProfile(active.column);
    else if (event.key === "Escape") props.onEscape();
    else if (isCommand && event.key === "c") onCopy();
    else if (isCommand && event.key === "a")
      onSelect({ anchor: { row: 0, column: 0 }, active: { row: rowCount - 1, column: names.length - 1 } });
    else return;
    event.preventDefault();
  }

  function onPointer(event: PointerEvent<HTMLDivElement>) {
    if (event.buttons !== 1 || !(event.target instanceof Element)) return;
    const cell = event.target.closest<HTMLElement>("[data-row]");
    if (cell === null) return;
    const chosen = { row: Number(cell.dataset.row), column: Number(cell.dataset.column) };
    const isDrag = event.type === "pointermove";
    if (isDrag && chosen.row === active.row && chosen.column === active.column) return;
    onSelect({ active: chosen, anchor: event.shiftKey || isDrag ? selection.anchor : chosen });
  }

  const range = rangeOf(selection);
  const shown = columns.getVirtualItems();
  const width = columns.getTotalSize();
  const isNumber = (column: number) => isNumeric(head, column);
  return (
    <div
      ref={scroller}
      role="grid"
      className="grid"
      tabIndex={0}
      aria-label="Result"
      aria-rowcount={rowCount + 1}
      aria-colcount={names.length + 1}
      aria-multiselectable="true"
      aria-activedescendant={`${id}-${active.row}-${active.column}`}
      onScroll={onScroll}
      onKeyDown={onKeyDown}
      onPointerDown={onPointer}
      onPointerMove={onPointer}
      onDoubleClick={() => active.row >= 0 && onOpen(active)}
    >
      <div role="presentation" style={{ width, height: contentHeight({ rowCount, viewHeight }) + HEADER_HEIGHT }}>
        <div role="presentation" className="layer" style={{ width, height: viewHeight + HEADER_HEIGHT }}>
          <div role="row" className="headers" aria-rowindex={1} tabIndex={-1} style={{ width, height: HEADER_HEIGHT }}>
            <div
              role="columnheader"
              className="row-number"
              tabIndex={-1}
              aria-colindex={1}
              style={{ width: NUMBER_WIDTH }}
            >
              Row
            </div>
            {shown.map(({ index, start, size }) => (
              <GridHeader
                key={index}
                id={`${id}--1-${index}`}
                name={names[index] ?? ""}
                engineType={head.columnEngineTypes?.[index] ?? head.columnTypes?.[index] ?? ""}
                column={index}
                left={start}
                width={size}
                view={view}
                isActive={active.row < 0 && active.column === index}
                onSort={(isAdded) => onView(toggleSort(view, names[index] ?? "", isAdded))}
                onProfile={() => props.onProfile(index)}
                onResize={(next) => resize(names[index] ?? "", next)}
                onMove={move}
              />
            ))}
          </div>
          {Array.from({ length: Math.max(0, end - first) }, (_, offset) => first + offset).map((row) => {
            const values = rowAt(row);
            const top = HEADER_HEIGHT + (row - position) * ROW_HEIGHT;
            return (
              <div key={row} role="row" className="row" aria-rowindex={row + 2} tabIndex={-1} style={{ top, width }}>
                <div
                  role="rowheader"
                  className="row-number"
                  tabIndex={-1}
                  aria-colindex={1}
                  style={{ width: NUMBER_WIDTH }}
                >
                  {(row + 1).toLocaleString("en-US")}
                </div>
                {shown.map(({ index, start, size }) => (
                  <GridCell
                    key={index}
                    id={`${id}-${row}-${index}`}
                    value={values?.[index]}
                    isLoaded={values !== undefined}
                    row={row}
                    column={index}
                    left={start}
                    width={size}
                    isNumber={isNumber(index)}
                    isActive={row === active.row && index === active.column}
                    isSelected={isInRange(range, { row, column: index })}
                  />
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </div>
  );
}
