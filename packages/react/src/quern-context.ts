"use client";

import type { Client } from "@quern/client";
import { createContext, createElement, type ReactNode, useContext } from "react";
import { useLeaving } from "./use-leaving.ts";

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
  if (!client) throw new Error("useClient: no <QuernProvider client={…}> above this component");
  return client;
}
