import type { Client } from "@quern/client";
import { useQueryClient } from "@tanstack/svelte-query";
import { getContext, onMount, setContext } from "svelte";
import { withdrawOnPageHide } from "#query-options/page-hide";

const key = /*@__PURE__*/ Symbol();

/**
 * Provides a client to this component and those below it. Call it below a `QueryClientProvider`, or after
 * `setQueryClientContext`.
 */
export function setClientContext(client: Client): void {
  const queryClient = useQueryClient();
  setContext(key, client);
  onMount(() => {
    const stop = withdrawOnPageHide(client, queryClient);
    // Refetches on focus and reconnect need it. Mounts are counted, so that of a provider above does no harm.
    queryClient.mount();
    return () => {
      queryClient.unmount();
      stop();
    };
  });
}

/**
 * Returns the client that the nearest `setClientContext` has provided.
 * @throws {Error} if there is none.
 */
export function useClient(): Client {
  const client = getContext<Client | undefined>(key);
  if (!client) throw new Error("useClient: no client above; call setClientContext");
  return client;
}
