import type { Reply } from "@quern/json-rpc/handler";
import type { MockClock } from "../time/clock.ts";
import { type Call, callText } from "../wire/call.ts";
import type { Middleware } from "../wire/exchange.ts";
import { isReplyTo, replyBody } from "../wire/reply.ts";
import type { KeptHistory } from "./history.ts";

export interface HistoryState {
  readonly clock: MockClock;
  readonly history: KeptHistory;
}

/** Answers as `next` does, and keeps what came and what went. */
export const historyMiddleware: Middleware<HistoryState> = async ({ body, calls, namespace }, next) => {
  const answered = namespace?.history.record(namespace.clock.now(), body, calls);
  const reply = await next();
  answered?.(reply);
  return reply;
};

/** Errors for what no client sends that keeps to the contract. */
const refusals = [-32700, -32600, -32601, -32602];

/** Answers as `next` does, and notes what it refuses. It stands below the faults, which refuse nothing. */
export const refusalMiddleware: Middleware<Pick<HistoryState, "history">> = async ({ calls, namespace }, next) => {
  const reply = await next();
  // Most replies have no such thing, and are not parsed.
  if (reply.body?.some((piece) => typeof piece === "string" && piece.includes('"error":{"code":-32')))
    for (const text of refused(calls, reply)) namespace?.history.miss(text);
  return reply;
};

function refused(calls: readonly (Call | undefined)[], reply: Reply): readonly string[] {
  return replyBody(reply).objects.flatMap((one) => {
    const { code, message } = (one.error ?? {}) as { readonly code?: number; readonly message?: string };
    if (code === undefined || !refusals.includes(code)) return [];
    const call = calls.find((refused) => isReplyTo(refused, one));
    return `${call === undefined ? "a request" : callText(call.method, call.params)} was refused: ${message}`;
  });
}
