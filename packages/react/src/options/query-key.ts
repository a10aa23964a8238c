import type { Client } from "@quern/client";

/**
 * Everything of one service and one scope starts with this key:
 * `queryClient.invalidateQueries({ queryKey: serviceKey(client) })`. It is the same on a server and in its pages.
 */
export function serviceKey(client: Client) {
  return ["quern", client.url, client.scope] as const;
}

/** Key of a call, e.g. `[…service, "getQueryRun", { queryRunId }]`; without params it stands for all calls of the method. */
export function methodKey<Params>(client: Client, method: string, ...params: readonly Params[]) {
  return [...serviceKey(client), method, ...params] as const;
}
