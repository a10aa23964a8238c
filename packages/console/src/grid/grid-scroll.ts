export const ROW_HEIGHT = 26;

/** Browsers end an element at about 17 million pixels; above this height, a pixel of the scroll bar is several rows. */
const MAX_HEIGHT = 10_000_000;

/** Sizes of a grid, in pixels. */
export interface GridSize {
  readonly rowCount: number;
  /** Height of the part of the grid that shows rows. */
  readonly viewHeight: number;
}

export const contentHeight = ({ rowCount }: GridSize): number => Math.min(rowCount * ROW_HEIGHT, MAX_HEIGHT);

/** Returns the largest position: that at which the last row is at the bottom. Positions count rows, with fractions. */
export const lastPosition = ({ rowCount, viewHeight }: GridSize): number =>
  Math.max(0, rowCount - viewHeight / ROW_HEIGHT);

/** Returns the scroll position of the element for the row at the top. */
export function scrollTopOf(size: GridSize, position: number): number {
  const last = lastPosition(size);
  return last === 0 ? 0 : (position / last) * Math.max(0, contentHeight(size) - size.viewHeight);
}

/**
 * Returns the row at the top after the element has scrolled. A short way, as of a wheel or a finger, moves the rows by
 * as many pixels; a long way, as of the scroll bar, moves by the same share of the result.
 * @param from row at the top and scroll position before
 */
export function positionAfter(
  size: GridSize,
  from: { readonly position: number; readonly scrollTop: number },
  scrollTop: number,
): number {
  const last = lastPosition(size);
  const range = contentHeight(size) - size.viewHeight;
  if (last === 0 || range <= 0) return 0;
  if (scrollTop <= 0) return 0;
  if (scrollTop >= range - 1) return last;
  const moved = scrollTop - from.scrollTop;
  const isScaled = contentHeight(size) < size.rowCount * ROW_HEIGHT;
  const position =
    isScaled && Math.abs(moved) <= 2 * size.viewHeight
      ? from.position + moved / ROW_HEIGHT
      : (scrollTop / range) * last;
  return Math.min(last, Math.max(0, position));
}
