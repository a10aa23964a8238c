import type { HttpReply } from "./transport.ts";

const firstDelayMs = 200;
const longestDelayMs = 5000;

/** Whether the same request may fare better a little later. No reply at all is the network's failure. */
export function isTransient(reply: HttpReply | undefined): boolean {
  return reply === undefined || reply.status === 408 || reply.status === 429 || reply.status >= 502;
}

/** Whether it is certain that the server did none of the request: it said so, or there was no connection to it. */
export function isUntouched(reply: HttpReply | undefined, failure: unknown): boolean {
  if (reply) return reply.status === 429 || reply.status === 503;
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(codeOf(failure) ?? codeOf(causeOf(failure)) ?? "");
}

/** The time before the next attempt, in milliseconds: what the server asks for, else grown by each attempt, with full jitter. */
export function retryDelayMs(reply: HttpReply | undefined, attempt: number): number {
  const asked = reply?.retryAfter;
  if (asked) {
    const ms = /^\s*\d+\s*$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
    if (ms >= 0) return ms;
  }
  return Math.random() * Math.min(longestDelayMs, firstDelayMs * 2 ** attempt);
}

function causeOf(error: unknown): unknown {
  return error instanceof Error ? error.cause : undefined;
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && "code" in error ? String(error.code) : undefined;
}

/** The error a transport threw, without what it may carry along (requests, headers) and without the key in its text. */
export function withoutKey(error: unknown, key: string): Error {
  const { name, message } = error instanceof Error ? error : { name: "Error", message: String(error) };
  const code = codeOf(error) ?? codeOf(causeOf(error));
  const inner = causeOf(error) instanceof Error ? `: ${(causeOf(error) as Error).message}` : "";
  const clean = new Error((message + inner).replaceAll(key, "…"));
  return Object.assign(clean, { name }, code && { code });
}
