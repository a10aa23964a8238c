import type { QuernError } from "@quern/client";
import type {
  DataTag,
  InfiniteData,
  UnusedSkipTokenInfiniteOptions,
  UnusedSkipTokenOptions,
} from "@tanstack/react-query";

// Said in types that all supported versions of TanStack Query have: those that its functions infer have other names in some.

/** Options for `useQuery`, `useSuspenseQuery`, `useQueries`, `prefetchQuery` and the like; their key knows the type of the data. */
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
