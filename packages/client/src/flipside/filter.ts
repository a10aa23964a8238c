import type { Filter as ServiceFilter, SortBy as ServiceSortBy } from "@quern/protocol/types";
import type { Writable } from "./writable.ts";

/** A condition on one column; `like` takes a number too. */
export interface Filter extends Writable<Omit<ServiceFilter, "like">> {
  like?: string | number | null | undefined;
}

export type SortBy = Writable<ServiceSortBy>;

export function filtersOf(filters: readonly Filter[] | undefined): readonly ServiceFilter[] | undefined {
  return filters?.map(({ like, ...filter }) => ({ ...filter, like: typeof like === "number" ? String(like) : like }));
}
