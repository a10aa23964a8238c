import type { Query } from "@quern/client";
import { hashKey, type QueryKey } from "@tanstack/react-query";
import { isUnreachable } from "./open-run.ts";

/** Returns the options of TanStack Query that follow from a query. */
export function freshness({ maxAgeMinutes, resultTTLHours }: Query, queryKey: QueryKey) {
  // Views with the same statement, kind and schema have keys that differ only in the last element.
  const hashOf = (key: QueryKey) => hashKey(key.slice(0, -1));
  return {
    // The rows of another view stay on the page until the rows of this view arrive.
    placeholderData: <Data>(rows: Data | undefined, query: { readonly queryKey: QueryKey } | undefined) =>
      query && hashOf(query.queryKey) === hashOf(queryKey) ? rows : undefined,
    ...(maxAgeMinutes !== undefined && { staleTime: maxAgeMinutes * 60_000 }),
    // On a server `gcTime` is not set, because TanStack Query starts no timer there by default. In a browser a timer
    // longer than 2^31 - 1 ms would fire at once.
    ...(resultTTLHours !== undefined &&
      typeof window !== "undefined" && { gcTime: Math.min(resultTTLHours * 3_600_000, 2 ** 31 - 1) }),
    // A query that accepts no older result would run again each time the window gets the focus.
    ...(!maxAgeMinutes && {
      refetchOnWindowFocus: false,
      refetchOnReconnect: ({ state }: { readonly state: { readonly error: unknown } }) => isUnreachable(state.error),
    }),
    // The Quern client already retries the requests that are safe to repeat.
    retry: false,
  };
}
