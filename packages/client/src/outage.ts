import type { Client } from "./client.ts";
import type { QuernError } from "./quern-error.ts";

const shortestPauseMs = 100;
const longestPauseMs = 10_000;
/** Pages that come back online together repeat their requests over this time; the requests of one page stay together. */
const jitterMs = 500;
const jitter = /*@__PURE__*/ Math.random();

/**
 * Pauses before a read is repeated that got no answer: the longer the outage, the longer the pause. While the browser is
 * offline the pause lasts until it is online; an abort ends it.
 * @param since Time of the last answer, by `performance.now()`.
 * @throws The error, as kind `network`, once the service has been unreachable for `unreachableMs`.
 */
export async function awaitService(
  { unreachableMs, sleep }: Client,
  error: QuernError,
  queryRunId: string,
  since: number,
  signal: AbortSignal,
): Promise<void> {
  const outageMs = performance.now() - since;
  const leftMs = unreachableMs - outageMs;
  if (leftMs <= 0) {
    const resumption = `the run may still be running: resumeQuery(client, "${queryRunId}") waits for it`;
    const message = `${error.message}; no answer for ${unreachableMs} ms; ${resumption}`;
    throw Object.assign(error, { message, kind: "network" });
  }
  const isOffline = globalThis.navigator?.onLine === false;
  const waking = new AbortController();
  const wake = () => waking.abort();
  // Node has no such events.
  globalThis.addEventListener?.("online", wake, waking);
  signal.addEventListener("abort", wake, waking);
  const pauseMs = isOffline ? leftMs : Math.min(leftMs, longestPauseMs, shortestPauseMs + outageMs / 4);
  await sleep(pauseMs, waking.signal);
  if (waking.signal.aborted) await sleep(jitter * jitterMs, signal);
  wake();
}
