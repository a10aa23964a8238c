import type { Filter, SortBy } from "@quern/client";

/** Order and filters of the rows of a stored result, which the service applies. */
export interface GridView {
  readonly sortBy: readonly SortBy[];
  readonly filters: readonly Filter[];
}

const WHOLE_RESULT: GridView = { sortBy: [], filters: [] };

/** Returns the view that was kept for a run; the whole result if there is none. */
export function keptView(kept: (GridView & { readonly queryRunId: string }) | undefined, queryRunId: string): GridView {
  const { sortBy, filters } = kept ?? WHOLE_RESULT;
  const isView = kept?.queryRunId === queryRunId && Array.isArray(sortBy) && Array.isArray(filters);
  return isView ? { sortBy, filters } : WHOLE_RESULT;
}

const sameColumn = (column: string) => (each: SortBy) => each.column.toLowerCase() === column.toLowerCase();

export const directionOf = ({ sortBy }: GridView, column: string): SortBy["direction"] | undefined =>
  sortBy.find(sameColumn(column))?.direction;

/**
 * Returns the view after a click on a header: ascending, descending, and the order of the result again.
 * @param isAdded keeps the other columns of the order, which are more significant
 */
export function toggleSort(view: GridView, column: string, isAdded: boolean): GridView {
  const direction = { asc: "desc", desc: undefined, none: "asc" }[directionOf(view, column) ?? "none"];
  const isOther = (each: SortBy) => !sameColumn(column)(each);
  const others = isAdded ? view.sortBy.filter(isOther) : [];
  const own: SortBy[] = direction === "asc" || direction === "desc" ? [{ column, direction }] : [];
  return { ...view, sortBy: [...others, ...own] };
}
