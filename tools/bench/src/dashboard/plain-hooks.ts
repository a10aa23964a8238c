/**
 * Hook that an app would write with TanStack Query and `fetch` alone. It has three queries: one creates a run, one
 * polls it, one reads its rows.
 */
import { useQuery } from "@tanstack/react-query";
import { createContext, useContext } from "react";

/** Makes one call and returns its result. */
export type Call = (method: string, params: object, signal: AbortSignal) => Promise<Reply>;

interface Reply {
  readonly queryRun: { readonly id: string; readonly state: string };
  readonly rows: readonly unknown[] | null;
}

const POLL_MS = 500;
const IN_PROGRESS = ["QUERY_STATE_READY", "QUERY_STATE_RUNNING", "QUERY_STATE_STREAMING_RESULTS"];

export const PlainService = createContext<Call>(() => Promise.reject(new Error("no service")));

export function plainCall(url: string, apiKey: string, onRequest: () => void): Call {
  let id = 0;
  return async (method, params, signal) => {
    onRequest();
    id += 1;
    const response = await fetch(`${url}/json-rpc`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": apiKey },
      body: JSON.stringify({ jsonrpc: "2.0", id, method, params: [params] }),
      signal,
    });
    const { result, error } = await response.json();
    if (error) throw new Error(error.message);
    return result;
  };
}

export function usePlainRows(sql: string): readonly unknown[] | undefined {
  const call = useContext(PlainService);
  const created = useQuery({
    queryKey: ["create", sql],
    queryFn: ({ signal }) => call("createQueryRun", { sql, resultTTLHours: 1, maxAgeMinutes: 0, tags: {} }, signal),
    staleTime: Infinity,
  });
  const queryRunId = created.data?.queryRun.id;
  const polled = useQuery({
    queryKey: ["run", queryRunId],
    queryFn: ({ signal }) => call("getQueryRun", { queryRunId }, signal),
    enabled: queryRunId !== undefined,
    refetchInterval: ({ state: { data } }) => (data && !IN_PROGRESS.includes(data.queryRun.state) ? false : POLL_MS),
  });
  const ended = polled.data !== undefined && !IN_PROGRESS.includes(polled.data.queryRun.state);
  const read = useQuery({
    queryKey: ["rows", queryRunId],
    queryFn: ({ signal }) =>
      call("getQueryRunResults", { queryRunId, format: "csv", page: { number: 1, size: 1000 } }, signal),
    enabled: ended,
    staleTime: Infinity,
  });
  return read.data?.rows ?? undefined;
}
