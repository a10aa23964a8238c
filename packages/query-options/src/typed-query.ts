import type { QuernError } from "@quern/client";
import type {
  DataTag,
  InfiniteData,
  InfiniteQueryPageParamsOptions,
  PlaceholderDataFunction,
  QueryFunction,
  QueryObserverOptions,
} from "@tanstack/query-core";

// Uses only types that all supported versions of TanStack Query export, with the same type parameters in each.

/** Members with another type in Vue: no factory sets the first two, and the third is a function. */
type Omitted = "enabled" | "initialData" | "placeholderData";

// biome-ignore lint/complexity/noBannedTypes: TanStack Query's own type, which it does not export.
type NonFunctionGuard<Data> = Data extends Function ? never : Data;

/** Returns data to show until that of the query arrives, from the data that was shown before. */
export type Placeholder<Data> = PlaceholderDataFunction<
  NonFunctionGuard<Data>,
  QuernError,
  NonFunctionGuard<Data>,
  readonly unknown[]
>;

type Options<Data> = QueryObserverOptions<Data, QuernError, Data, Data, readonly unknown[]>;

/** Options of a query, for `prefetchQuery`, `fetchQuery` and the functions of a framework. The key is tagged with the type of the data. */
export type TypedQuery<Data> = Omit<Options<Data>, Omitted> & {
  readonly placeholderData?: Placeholder<Data>;
  readonly queryFn: QueryFunction<Data, readonly unknown[]>;
  readonly queryKey: DataTag<readonly unknown[], Data, QuernError>;
};

type InfiniteOptions<Page, Param> = QueryObserverOptions<
  Page,
  QuernError,
  InfiniteData<Page, Param>,
  InfiniteData<Page, Param>,
  readonly unknown[],
  Param
> &
  InfiniteQueryPageParamsOptions<Page, Param>;

/** Options of an infinite query, for `prefetchInfiniteQuery`, `fetchInfiniteQuery` and the functions of a framework. */
export type TypedInfiniteQuery<Page, Param> = Omit<InfiniteOptions<Page, Param>, Omitted> & {
  readonly placeholderData?: Placeholder<InfiniteData<Page, Param>>;
  readonly queryFn: QueryFunction<Page, readonly unknown[], Param>;
  readonly queryKey: DataTag<readonly unknown[], InfiniteData<Page>, QuernError>;
};

/** Returns the options, with a key that is tagged with the type of the data. */
export function typedQuery<Data>(options: Options<Data>): TypedQuery<Data>;
export function typedQuery(options: unknown) {
  return options;
}

/** Returns the options of an infinite query, with a key that is tagged with the type of the data. */
export function typedInfiniteQuery<Page, Param>(options: InfiniteOptions<Page, Param>): TypedInfiniteQuery<Page, Param>;
export function typedInfiniteQuery(options: unknown) {
  return options;
}
