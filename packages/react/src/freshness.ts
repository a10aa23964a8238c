import type { Query } from "@quern/client";
import { hashKey, type QueryKey } from "@tanstack/react-query";
import { isUnreachable } from "./open-run.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** The options of TanStack Query that follow from a query. */
export function freshness({ maxAgeMinutes, resultTTLHours }: Query, queryKey: QueryKey) {
  const statement = hashKey(queryKey.slice(0, -1));
  return {
    // Shows the rows of another view of the statement, read by the same schema, until those of this one come.
    placeholderData: <Data>(rows: Data | undefined, query: { readonly queryKey: QueryKey } | undefined) =>
      query && hashKey(query.queryKey.slice(0, -1)) === statement ? rows : undefined,
    ...(maxAgeMinutes !== undefined && { staleTime: maxAgeMinutes * minuteMs }),
    // On a server TanStack Query keeps no timer by default.
    ...(resultTTLHours !== undefined &&
      typeof window !== "undefined" && { gcTime: Math.min(resultTTLHours * hourMs, longestTimerMs) }),
    // A query that accepts no older result would run again with each change of the window.
    ...(!maxAgeMinutes && {
      refetchOnWindowFocus: false,
      refetchOnReconnect: ({ state }: { readonly state: { readonly error: unknown } }) => isUnreachable(state.error),
    }),
    // The client repeats what can be repeated.
    retry: false,
  };
}
