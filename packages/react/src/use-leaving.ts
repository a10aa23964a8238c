import type { Client } from "@quern/client";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { serviceKey } from "./query-key.ts";

/** Withdraws what still runs when the page is left, and asks again where the browser brings the page back as it was. */
export function useLeaving(client: Client): void {
  const queryClient = useQueryClient();
  useEffect(() => {
    const queryKey = serviceKey(client);
    const leave = () => void queryClient.cancelQueries({ queryKey });
    const comeBack = ({ persisted }: PageTransitionEvent) => {
      if (persisted) void queryClient.refetchQueries({ queryKey, predicate: ({ state }) => state.data === undefined });
    };
    window.addEventListener("pagehide", leave);
    window.addEventListener("pageshow", comeBack);
    return () => {
      window.removeEventListener("pagehide", leave);
      window.removeEventListener("pageshow", comeBack);
    };
  }, [client, queryClient]);
}
