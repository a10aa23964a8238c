import type { HttpReply } from "../transport/transport.ts";

const firstDelayMs = 200;
const longestDelayMs = 5000;

/** Tells whether a retry of the request may succeed. */
export function isTransient({ status }: HttpReply): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 502;
}

/** Tells whether the service has certainly not processed the request: it rejected the request, or there was no connection. */
export function isUnprocessed({ status, cause, headers }: HttpReply): boolean {
  if (status === 0) return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(cause?.code ?? "");
  // A 503 without `retry-after` may come from a gateway that had already forwarded the request.
  return (status === 503 && Boolean(headers?.get("retry-after"))) || (status >= 400 && status < 500 && status !== 408);
}

/** Returns the delay before the next attempt, in milliseconds: `retry-after`, else exponential backoff with full jitter. */
export function retryDelayMs({ headers }: HttpReply, tries: number): number {
  const retryAfter = headers?.get("retry-after");
  const seconds = Number(retryAfter ?? NaN);
  const ms = seconds >= 0 ? seconds * 1000 : Date.parse(retryAfter ?? "") - Date.now();
  return ms >= 0 ? ms : Math.random() * Math.min(longestDelayMs, firstDelayMs * 2 ** tries);
}
