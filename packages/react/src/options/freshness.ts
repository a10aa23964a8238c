import type { Query } from "@quern/client";
import { hashKey, type QueryKey } from "@tanstack/react-query";
import { isUnreachable } from "./open-run.ts";

/** The options of TanStack Query that follow from a query. */
export function freshness({ maxAgeMinutes, resultTTLHours }: Query, queryKey: QueryKey) {
  const viewed = (key: QueryKey) => hashKey(key.slice(0, -1));
  return {
    // Shows the rows of another view of the statement, read by the same schema, until those of this one come.
    placeholderData: <Data>(rows: Data | undefined, query: { readonly queryKey: QueryKey } | undefined) =>
      query && viewed(query.queryKey) === viewed(queryKey) ? rows : undefined,
    ...(maxAgeMinutes !== undefined && { staleTime: maxAgeMinutes * 60_000 }),
    // On a server TanStack Query keeps no timer by default. In a browser a timer longer than 2^31 - 1 would fire at once.
    ...(resultTTLHours !== undefined &&
      typeof window !== "undefined" && { gcTime: Math.min(resultTTLHours * 3_600_000, 2 ** 31 - 1) }),
    // A query that accepts no older result would run again with each change of the window.
    ...(!maxAgeMinutes && {
      refetchOnWindowFocus: false,
      refetchOnReconnect: ({ state }: { readonly state: { readonly error: unknown } }) => isUnreachable(state.error),
    }),
    // The client repeats what can be repeated.
    retry: false,
  };
}
