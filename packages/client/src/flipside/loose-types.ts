import type { SortBy as ServiceSortBy, Filter as WireFilter } from "@quern/protocol/types";
import type { PageFilter } from "../result/result-pages.ts";

/** A JSON value as untyped as `JSON.parse` returns it: programs of the old client compile with this type alone. */
export type Untyped = ReturnType<JSON["parse"]>;

/** An object that programs build or change member by member, as they could with the old types. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

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
