import type { Client } from "../wire/client.ts";
import type { QuernError } from "../wire/quern-error.ts";

const shortestPauseMs = 100;
const longestPauseMs = 10_000;

/**
 * Waits before the client repeats a failed read. The backoff grows with the outage. While the browser is
 * offline the wait lasts until it is online or `outageTimeoutMs` has passed. An abort ends the wait.
 * @param since Time of the last answer, or of the first attempt, by `performance.now()`.
 * @returns `since`, moved back if the client's `sleep` took less time than requested, as a virtual clock does.
 * @throws {QuernError} `error` with the kind `network`, once the service has been unreachable for `outageTimeoutMs`.
 */
export async function awaitService(
  { outageTimeoutMs, sleep }: Client,
  error: QuernError,
  queryRunId: string,
  since: number,
  signal: AbortSignal,
): Promise<number> {
  const outageMs = performance.now() - since;
  const leftMs = outageTimeoutMs - outageMs;
  if (leftMs <= 0) {
    throw Object.assign(error, {
      message: `${error.message}; failing for ${outageTimeoutMs} ms; call resumeQuery(client, "${queryRunId}")`,
      kind: "network",
    });
  }
  const isOffline = globalThis.navigator?.onLine === false;
  const pauseMs = isOffline ? leftMs : Math.min(leftMs, longestPauseMs, shortestPauseMs + outageMs / 4);
  await sleep(pauseMs, signal);
  return isOffline ? since : Math.min(since, performance.now() - outageMs - pauseMs);
}
