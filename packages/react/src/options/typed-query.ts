import type { QuernError } from "@quern/client";
import type {
  DataTag,
  InfiniteData,
  UnusedSkipTokenInfiniteOptions,
  UnusedSkipTokenOptions,
} from "@tanstack/react-query";

// Uses only types that all supported versions of TanStack Query export: the inferred types have other names in some versions.

/** Options for `useQuery`, `useSuspenseQuery`, `useQueries`, `prefetchQuery` and the like. The key is tagged with the type of the data. */
export type TypedQuery<Data> = UnusedSkipTokenOptions<Data, QuernError> & {
  readonly queryKey: DataTag<readonly unknown[], Data, QuernError>;
};

/** Options for `useInfiniteQuery`, `useSuspenseInfiniteQuery`, `prefetchInfiniteQuery` and the like. */
export type TypedInfiniteQuery<Page, Param> = UnusedSkipTokenInfiniteOptions<
  Page,
  QuernError,
  InfiniteData<Page, Param>,
  readonly unknown[],
  Param
> & {
  readonly queryKey: DataTag<readonly unknown[], InfiniteData<Page>, QuernError>;
};
