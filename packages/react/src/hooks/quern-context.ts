"use client";

import type { Client } from "@quern/client";
import { type Query, useQueryClient } from "@tanstack/react-query";
import { createContext, createElement, type ReactNode, useContext, useEffect } from "react";
import { serviceKey } from "../options/query-key.ts";

const ClientContext = /*@__PURE__*/ createContext<Client | undefined>(undefined);

/** Provides the client to the hooks of the components below it. Render it below a `QueryClientProvider`. */
export function QuernProvider({ client, children }: { readonly client: Client; readonly children?: ReactNode }) {
  useWithdrawOnPageHide(client);
  return createElement(ClientContext.Provider, { value: client }, children);
}

/**
 * Returns the client of the nearest `QuernProvider`.
 * @throws {Error} if there is no `QuernProvider` above the component.
 */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("useClient: no QuernProvider above; add one");
  return client;
}

/** Withdraws unfinished queries when the page is left, and refetches them when the browser restores the page from its back/forward cache. */
function useWithdrawOnPageHide(client: Client): void {
  const queryClient = useQueryClient();
  useEffect(() => {
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
  }, [client, queryClient]);
}
