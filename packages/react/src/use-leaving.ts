import type { Client } from "@quern/client";
import { type Query, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { serviceKey } from "./query-key.ts";

/** Withdraws what still runs when the page is left, and asks for that again where the browser brings the page back as it was. */
export function useLeaving(client: Client): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const queryKey = serviceKey(client);
    let withdrawn: readonly Query[] = [];
    const leave = () => {
      // A further page is asked for by whoever wants it: to ask again would be to read all of them.
      const runs = ({ state }: Query) => state.fetchStatus !== "idle" && !state.fetchMeta?.fetchMore;
      withdrawn = queryClient.getQueryCache().findAll({ queryKey, predicate: runs });
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
