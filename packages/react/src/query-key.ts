import type { Client } from "@quern/client";

/** Everything of one service starts with this key: `queryClient.invalidateQueries({ queryKey: serviceKey(client) })`. */
export function serviceKey(client: Client) {
  return ["quern", client.url] as const;
}

/** Key of a call, e.g. `[…service, "getQueryRun", { queryRunId }]`; without params it stands for all calls of the method. */
export function methodKey<Params>(client: Client, method: string, ...params: readonly Params[]) {
  return [...serviceKey(client), method, ...params] as const;
}
