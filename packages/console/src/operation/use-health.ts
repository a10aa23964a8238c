import { serviceKey, useClient } from "@quern/react";
import { useQuery } from "@tanstack/react-query";
import { serviceUrl } from "../session/service-client.ts";

/** Readiness of the service, in words, and whether it is as it should be; undefined if the page cannot know it. */
export interface Health {
  readonly text: string;
  readonly isGood: boolean | undefined;
  /** Time of the answer in milliseconds. */
  readonly answerMs: number;
}

const REFRESH_MS = 10_000;

/** Reads `/readyz` every ten seconds while the page is shown. */
export function useHealth(): Health | undefined {
  const client = useClient();
  const { data } = useQuery({
    queryKey: [...serviceKey(client), "readyz"],
    queryFn: readHealth,
    refetchInterval: REFRESH_MS,
    staleTime: 0,
    networkMode: "always",
  });
  return data;
}

async function readHealth({ signal }: { readonly signal: AbortSignal }): Promise<Health> {
  const startedAt = performance.now();
  const answer = await fetch(`${serviceUrl()}/readyz`, { signal, cache: "no-store" }).catch(() => undefined);
  const answerMs = performance.now() - startedAt;
  if (answer === undefined) return { text: "The service does not answer", isGood: false, answerMs };
  const { status, missing } = Object(await answer.json().catch(() => undefined));
  switch (status) {
    case "ready":
      return { text: "Ready", isGood: true, answerMs };
    case "draining":
      return { text: "Shutting down", isGood: false, answerMs };
    case "unavailable":
      return { text: `Cannot reach: ${[missing].flat().join(", ")}`, isGood: false, answerMs };
    default:
      // A proxy may forward the calls only.
      return { text: "Unknown: /readyz is not reachable from this page", isGood: undefined, answerMs };
  }
}
