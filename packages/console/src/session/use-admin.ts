import { type Client, getUsage, listQueryRuns, QuernError } from "@quern/client";
import { serviceKey, useClient } from "@quern/react";
import { useQuery } from "@tanstack/react-query";

/** Error of a call for which the key or the token lacks the scope. */
const FORBIDDEN = -32163;

/** Tells whether the caller has the scope `tenant:admin`. False until the service has answered. */
export function useAdmin(): boolean {
  const client = useClient();
  const { data } = useQuery({
    queryKey: [...serviceKey(client), "isAdmin"],
    queryFn: () => isAdmin(client),
    staleTime: Number.POSITIVE_INFINITY,
    retry: (count, error) => count < 5 && Object(error).status !== 401,
  });
  return data ?? false;
}

/**
 * Calls a method of administrators, because no method returns the scopes of the caller. The other call makes a batch of it:
 * a batch is answered with HTTP 200, whereas the browser would report HTTP 403 as an error of the page.
 */
async function isAdmin(client: Client): Promise<boolean> {
  const [usage] = await Promise.allSettled([getUsage(client, { limit: 1 }), listQueryRuns(client, { limit: 1 })]);
  if (usage.status === "fulfilled") return true;
  if (usage.reason instanceof QuernError && usage.reason.code === FORBIDDEN && usage.reason.status !== 401)
    return false;
  throw usage.reason;
}
