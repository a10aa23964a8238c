import { useState } from "react";

/** Page of a list that the service returns page by page. */
export interface ListPage {
  /** Undefined for the first page. */
  readonly cursor: string | undefined;
  /** Shows the next page; undefined if it is shown. */
  readonly onMore: ((cursor: string) => void) | undefined;
}

/** Returns the pages of a list that are shown, at first one. */
export function useCursors(): readonly ListPage[] {
  const [cursors, setCursors] = useState<readonly (string | undefined)[]>([undefined]);
  return cursors.map((cursor, index) => ({
    cursor,
    onMore: index === cursors.length - 1 ? (next) => setCursors([...cursors, next]) : undefined,
  }));
}
