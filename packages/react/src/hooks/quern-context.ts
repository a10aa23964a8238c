"use client";

import type { Client } from "@quern/client";
import { type Query, useQueryClient } from "@tanstack/react-query";
import { createContext, createElement, type ReactNode, useContext, useEffect } from "react";
import { serviceKey } from "../options/query-key.ts";

const ClientContext = /*@__PURE__*/ createContext<Client | undefined>(undefined);

/** Gives the hooks below it their client. It stands below a `QueryClientProvider`. */
export function QuernProvider({ client, children }: { readonly client: Client; readonly children?: ReactNode }) {
  useLeaving(client);
  return createElement(ClientContext.Provider, { value: client }, children);
}

/**
 * The client of the nearest `QuernProvider`.
 * @throws {Error} where there is none.
 */
export function useClient(): Client {
  const client = useContext(ClientContext);
  if (!client) throw new Error("useClient: no QuernProvider above");
  return client;
}

/** Withdraws unfinished queries when the page is left, and refetches them when the browser restores the page from its back/forward cache. */
function useLeaving(client: Client): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const queryKey = serviceKey(client);
    let withdrawn: readonly Query[] = [];
    const leave = () => {
      withdrawn = queryClient.getQueryCache().findAll({
        queryKey,
        // A fetch of a further page is not repeated: a refetch would read all pages.
        predicate: ({ state }) => state.fetchStatus !== "idle" && !state.fetchMeta?.fetchMore,
      });
      void queryClient.cancelQueries({ queryKey });
    };
    const comeBack = () => void queryClient.refetchQueries({ predicate: (query) => withdrawn.includes(query) });
    window.addEventListener("pagehide", leave);
    window.addEventListener("pageshow", comeBack);
    return () => {
      window.removeEventListener("pagehide", leave);
      window.removeEventListener("pageshow", comeBack);
    };
  }, [client, queryClient]);
}
