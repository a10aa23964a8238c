import type { QuernError, Query } from "@quern/client";
import { hashKey, type QueryKey } from "@tanstack/query-core";
import { isUnreachable } from "./open-run.ts";

/** Shortest and longest time until a query that failed while the service was unreachable is fetched again, in milliseconds. */
const shortestRetryMs = 5_000;
const longestRetryMs = 60_000;

interface FailedQuery {
  readonly state: { readonly status: string; readonly error: unknown; readonly errorUpdateCount: number };
}

/** Tells whether a later fetch may succeed: the service was unreachable, restarted, or had too much load. */
function isTemporary(error: unknown): boolean {
  const { kind, status = 0 } = error as QuernError; // The client throws nothing else.
  return kind === "network" || status >= 500 || status === 429;
}

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
    // A panel that failed while the service was unreachable, e.g. while it restarts, recovers by itself.
    refetchInterval: ({ state: { status, error, errorUpdateCount } }: FailedQuery) =>
      status === "error" && isTemporary(error)
        ? Math.min(longestRetryMs, shortestRetryMs * 2 ** (errorUpdateCount - 1))
        : (false as const),
    // The Quern client already retries the requests that are safe to repeat.
    retry: false,
  };
}
