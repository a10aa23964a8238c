import type { HttpReply } from "../transport/transport.ts";

const firstDelayMs = 200;
const longestDelayMs = 5000;

/** Tells whether the same request may succeed a little later. */
export function isTransient({ status }: HttpReply): boolean {
  return status === 0 || status === 408 || status === 429 || status >= 502;
}

/** Tells whether it is certain that the server did none of the request: it said so, or there was no connection to it. */
export function isUntouched({ status, cause, headers }: HttpReply): boolean {
  if (status === 0) return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(cause?.code ?? "");
  // Without a time to come again a 503 may be of a gateway, whose connection broke after it had passed the request on.
  return (status === 503 && Boolean(headers?.get("retry-after"))) || (status >= 400 && status < 500 && status !== 408);
}

/** Returns the time before the next attempt, in milliseconds: what the server asks for, else grown by each attempt, with full jitter. */
export function retryDelayMs({ headers }: HttpReply, tries: number): number {
  const retryAfter = headers?.get("retry-after");
  const seconds = Number(retryAfter ?? NaN);
  const ms = seconds >= 0 ? seconds * 1000 : Date.parse(retryAfter ?? "") - Date.now();
  return ms >= 0 ? ms : Math.random() * Math.min(longestDelayMs, firstDelayMs * 2 ** tries);
}
