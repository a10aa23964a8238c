import type { SortBy as ServiceSortBy, Filter as WireFilter } from "@quern/protocol/types";
import type { PageFilter } from "../result/result-pages.ts";
import type { Writable } from "./loose-types.ts";

/** A condition on one column; `like` takes a number too. */
export interface Filter extends Writable<Omit<WireFilter, "like">> {
  like?: string | number | null | undefined;
}

export type SortBy = Writable<ServiceSortBy>;

export function filtersOf(filters: readonly Filter[] | undefined): readonly PageFilter[] | undefined {
  // The old type allows none of the comparisons; the service refuses that.
  return filters?.map(({ like, ...filter }) => ({
    ...filter,
    like: typeof like === "number" ? String(like) : like,
  })) as readonly PageFilter[] | undefined;
}
