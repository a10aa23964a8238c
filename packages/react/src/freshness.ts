import type { Query } from "@quern/client";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
/** A longer timer would fire at once. */
const longestTimerMs = 2 ** 31 - 1;

/** How long a result counts as new and how long it is kept, from what its query says of both. */
export function freshness({ maxAgeMinutes = 0, resultTTLHours = 1 }: Query) {
  // Where nothing unmounts, a timer would only hold the process.
  const gcTime = typeof window === "undefined" ? Infinity : Math.min(resultTTLHours * hourMs, longestTimerMs);
  // A query that accepts no older result would run again with each change of the window.
  const again = maxAgeMinutes > 0;
  return {
    staleTime: maxAgeMinutes * minuteMs,
    gcTime,
    refetchOnWindowFocus: again,
    refetchOnReconnect: again,
    retry: false,
  };
}
