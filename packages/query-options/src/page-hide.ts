import type { Client } from "@quern/client";
import type { Query, QueryClient } from "@tanstack/query-core";
import { serviceKey } from "./query-key.ts";

/**
 * Withdraws unfinished queries when the page is left, and refetches them when the browser restores the page from its
 * back/forward cache. Returns the function that ends this.
 */
export function withdrawOnPageHide(client: Client, queryClient: QueryClient): () => void {
  const queryKey = serviceKey(client);
  let withdrawn: readonly Query[] = [];
  const onPageHide = () => {
    withdrawn = queryClient.getQueryCache().findAll({
      queryKey,
      // Excludes queries that fetch one more page, as with `fetchNextPage`: a refetch of them would read all pages.
      predicate: ({ state }) => state.fetchStatus !== "idle" && !state.fetchMeta?.fetchMore,
    });
    void queryClient.cancelQueries({ queryKey });
  };
  const onPageShow = () => void queryClient.refetchQueries({ predicate: (query) => withdrawn.includes(query) });
  window.addEventListener("pagehide", onPageHide);
  window.addEventListener("pageshow", onPageShow);
  return () => {
    window.removeEventListener("pagehide", onPageHide);
    window.removeEventListener("pageshow", onPageShow);
  };
}
