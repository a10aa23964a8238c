import type { Handler, Piece, Reply, RequestHeaders } from "@quern/json-rpc/handler";
import { callOf, jsonOf, membersOf } from "../wire/calls.ts";
import { isReplyTo, repliesOf, textOf } from "../wire/reply-object.ts";
import type { KeptHistory } from "./history.ts";
import { callText } from "./likeness.ts";

/** Errors for what no client sends that keeps to the contract. */
const refusals = [-32700, -32600, -32601, -32602];

/** Answers as the handler does, and keeps what it refuses. It stands below the faults, which refuse nothing. */
export function refusingHandler(
  handler: Handler,
  historyOf: (headers: RequestHeaders) => KeptHistory | undefined,
): Handler {
  async function handle(body: Piece, headers: RequestHeaders, signal?: AbortSignal): Promise<Reply> {
    const reply = await handler.handle(body, headers, signal);
    // Most replies have no such thing, and are not read.
    if (reply.body?.some((piece) => typeof piece === "string" && piece.includes('"error":{"code":-32')))
      for (const text of refused(body, reply)) historyOf(headers)?.miss(text);
    return reply;
  }

  return { ...handler, handle };
}

function refused(body: Piece, reply: Reply): readonly string[] {
  const calls = membersOf(jsonOf(body)).members.map(callOf);
  return repliesOf(jsonOf(textOf(reply))).flatMap((one) => {
    const { code, message } = (one.error ?? {}) as { readonly code?: number; readonly message?: string };
    if (code === undefined || !refusals.includes(code)) return [];
    const call = calls.find((refused) => isReplyTo(refused, one));
    return `${call === undefined ? "a request" : callText(call.method, call.params)} was refused: ${message}`;
  });
}
