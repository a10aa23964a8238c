import type { Reply } from "@quern/json-rpc/handler";
import type { MockClock } from "../time/clock.ts";
import { type Call, callText } from "../wire/call.ts";
import type { Middleware } from "../wire/exchange.ts";
import { isReplyTo, replyBody } from "../wire/reply.ts";
import type { HistoryRecorder } from "./history.ts";

export interface HistoryState {
  readonly clock: MockClock;
  readonly history: HistoryRecorder;
}

/** Records requests and replies. */
export const historyMiddleware: Middleware<HistoryState> = async ({ body, calls, namespace }, next) => {
  const answered = namespace?.history.record(namespace.clock.now(), body, calls);
  const reply = await next();
  answered?.(reply);
  return reply;
};

/** Codes of errors that a client within the contract never gets. */
const refusals = [-32700, -32600, -32601, -32602];

/** Records refused calls as unexpected. It runs inside the fault middleware, so that planned errors are not recorded. */
export const refusalMiddleware: Middleware<Pick<HistoryState, "history">> = async ({ calls, namespace }, next) => {
  const reply = await next();
  // Most replies have no such error; this search avoids parsing them.
  if (reply.body?.some((piece) => typeof piece === "string" && piece.includes('"error":{"code":-32')))
    for (const text of refused(calls, reply)) namespace?.history.recordUnexpected(text);
  return reply;
};

function refused(calls: readonly (Call | undefined)[], reply: Reply): readonly string[] {
  return replyBody(reply).objects.flatMap((one) => {
    const { code, message } = (one.error ?? {}) as { readonly code?: number; readonly message?: string };
    if (code === undefined || !refusals.includes(code)) return [];
    const call = calls.find((received) => isReplyTo(received, one));
    return `${call === undefined ? "a request" : callText(call.method, call.params)} was refused: ${message}`;
  });
}
