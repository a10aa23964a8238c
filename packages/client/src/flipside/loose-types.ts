import type { SortBy as ServiceSortBy, Filter as WireFilter } from "@quern/protocol/types";
import type { PageFilter } from "../result/result-pages.ts";

/**
 * The type `any`, which `JSON.parse` returns. Programs written for the old client do not compile with a stricter type.
 */
export type Untyped = ReturnType<JSON["parse"]>;

/** Object with writable members, as in the old types. */
export type Writable<T> = { -readonly [Key in keyof T]: T[Key] };

/** Condition on one column. `like` may also be a number, which is sent as text. */
export interface Filter extends Writable<Omit<WireFilter, "like">> {
  like?: string | number | null | undefined;
}

export type SortBy = Writable<ServiceSortBy>;

/** Converts filters to the types of this client. */
export function filtersOf(filters: readonly Filter[] | undefined): readonly PageFilter[] | undefined {
  // The old type does not require a comparison; the service refuses a filter without one.
  return filters?.map(({ like, ...filter }) => ({
    ...filter,
    like: typeof like === "number" ? String(like) : like,
  })) as readonly PageFilter[] | undefined;
}
