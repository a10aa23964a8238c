"use client";

import type { Client } from "@quern/client";
import { useQueryClient } from "@tanstack/react-query";
import { createContext, createElement, type ReactNode, useContext, useEffect } from "react";
import { withdrawOnPageHide } from "#query-options/page-hide";

const ClientContext = /*@__PURE__*/ createContext<Client | undefined>(undefined);

/** Provides the client to the hooks of the components below it. Render it below a `QueryClientProvider`. */
export function QuernProvider({ client, children }: { readonly client: Client; readonly children?: ReactNode }) {
  const queryClient = useQueryClient();
  useEffect(() => withdrawOnPageHide(client, queryClient), [client, queryClient]);
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
