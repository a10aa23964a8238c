import type { QuernError } from "@quern/client";
import type { DataTag, UnusedSkipTokenOptions } from "@tanstack/react-query";

/** Options for `useQuery`, `useSuspenseQuery`, `useQueries`, `prefetchQuery` and the like; their key knows the type of the data. */
export type TypedQuery<Data> = UnusedSkipTokenOptions<Data, QuernError> & {
  readonly queryKey: DataTag<readonly unknown[], Data, QuernError>;
};
