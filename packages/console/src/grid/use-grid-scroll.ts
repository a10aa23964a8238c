import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";
import { type GridSize, lastPosition, positionAfter, ROW_HEIGHT, scrollTopOf } from "./grid-scroll.ts";

interface GridScroll {
  /** Row at the top, with the share of it that is scrolled out. */
  readonly position: number;
  readonly viewHeight: number;
  readonly onScroll: () => void;
  /** Scrolls as little as necessary to show a row. */
  reveal(row: number): void;
}

/**
 * Scroll position of a grid in rows. The position of the element follows it and not the other way round, because the
 * element may be too short to address each row.
 */
export function useGridScroll(
  scroller: RefObject<HTMLDivElement | null>,
  rowCount: number,
  headerHeight: number,
): GridScroll {
  const [viewHeight, setViewHeight] = useState(0);
  const [position, setPosition] = useState(0);
  const size: GridSize = { rowCount, viewHeight };
  const state = useRef({ size, position, scrollTop: 0 });
  state.current.size = size;

  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => setViewHeight(Math.max(0, element.clientHeight - headerHeight));
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [scroller, headerHeight]);

  const moveTo = useCallback(
    (next: number, scrollsElement: boolean) => {
      const { current } = state;
      current.position = Math.min(Math.max(0, next), lastPosition(current.size));
      if (scrollsElement && scroller.current !== null) {
        scroller.current.scrollTop = scrollTopOf(current.size, current.position);
        current.scrollTop = scroller.current.scrollTop;
      }
      setPosition(current.position);
    },
    [scroller],
  );

  // Filters can leave fewer rows than the position.
  useLayoutEffect(() => {
    if (viewHeight > 0 && state.current.position > lastPosition({ rowCount, viewHeight })) moveTo(Infinity, true);
  }, [rowCount, viewHeight, moveTo]);

  const onScroll = useCallback(() => {
    const { current } = state;
    const scrollTop = scroller.current?.scrollTop ?? 0;
    if (Math.abs(scrollTop - current.scrollTop) < 1) return;
    const next = positionAfter(current.size, current, scrollTop);
    current.scrollTop = scrollTop;
    moveTo(next, false);
  }, [scroller, moveTo]);

  useEffect(() => {
    const element = scroller.current;
    // After short ways the element is no longer where the share of the rows would put it.
    const settle = () => moveTo(state.current.position, true);
    element?.addEventListener("scrollend", settle);
    return () => element?.removeEventListener("scrollend", settle);
  }, [scroller, moveTo]);

  const reveal = useCallback(
    (row: number) => {
      const { size, position } = state.current;
      const rows = size.viewHeight / ROW_HEIGHT;
      if (row < position) moveTo(row, true);
      else if (row + 1 > position + rows) moveTo(row + 1 - rows, true);
    },
    [moveTo],
  );

  return { position, viewHeight, onScroll, reveal };
}
