import type { HttpReply } from "./transport.ts";

const firstDelayMs = 200;
const longestDelayMs = 5000;

/** Whether the same request may fare better a little later. No reply at all is the network's failure. */
export function isTransient(reply: HttpReply | undefined): boolean {
  return reply === undefined || reply.status === 408 || reply.status === 429 || reply.status >= 502;
}

/** Whether it is certain that the server did none of the request: it said so, or there was no connection to it. */
export function isUntouched(reply: HttpReply | undefined, failure: unknown): boolean {
  if (reply) return (reply.status >= 400 && reply.status < 500 && reply.status !== 408) || reply.status === 503;
  return /^(ECONNREFUSED|ENOTFOUND|EAI_AGAIN)$/.test(causes(failure).code);
}

/** The time before the next attempt, in milliseconds: what the server asks for, else grown by each attempt, with full jitter. */
export function retryDelayMs(reply: HttpReply | undefined, tries: number): number {
  const asked = reply?.retryAfter;
  if (asked) {
    const ms = /^\s*\d+\s*$/.test(asked) ? Number(asked) * 1000 : Date.parse(asked) - Date.now();
    if (ms >= 0) return ms;
  }
  return Math.random() * Math.min(longestDelayMs, firstDelayMs * 2 ** tries);
}

/** The error a transport threw, without what it may carry along (requests, headers) and without the key in its text. */
export function withoutKey(failure: unknown, key: string): Error {
  const { name, message, code } = causes(failure);
  return Object.assign(new Error(message.replaceAll(key, "…")), { name }, code && { code });
}

/** What an error and the cause behind it say; `fetch` hides the reason one level down. */
function causes(error: unknown): { readonly name: string; readonly message: string; readonly code: string } {
  if (!(error instanceof Error)) return { name: "Error", message: String(error), code: "" };
  const inner = error.cause instanceof Error ? error.cause : undefined;
  const message = inner ? `${error.message}: ${inner.message}` : error.message;
  return { name: error.name, message, code: codeOf(error) || codeOf(inner) };
}

function codeOf(error: Error | undefined): string {
  return error && "code" in error ? String(error.code) : "";
}
