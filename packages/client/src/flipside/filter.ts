import type { Filter as ServiceFilter } from "@quern/protocol/types";

/** A condition on one column; `like` takes a number too. */
export interface Filter extends Omit<ServiceFilter, "like"> {
  readonly like?: string | number | null | undefined;
}

export function filtersOf(filters: readonly Filter[] | undefined): readonly ServiceFilter[] | undefined {
  return filters?.map(({ like, ...filter }) => ({ ...filter, like: typeof like === "number" ? String(like) : like }));
}
