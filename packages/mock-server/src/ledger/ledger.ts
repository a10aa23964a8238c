import type { Handler, Piece, Reply, RequestHeaders } from "@quern/json-rpc/handler";
import { apiKeyOf } from "../namespaces/namespaces.ts";
import { callOf, jsonOf, membersOf } from "../wire/calls.ts";
import { isReplyTo, type ReplyObject, repliesOf, textOf } from "../wire/reply-object.ts";

/** One call of a consumer, and what a service without faults answers to it; of rows, the first. */
export interface LedgerCall {
  readonly method: string;
  readonly params: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** What consumers used, as JSON to be kept: the calls of each, in order. Statements are in it as they were sent, keys are not. */
export interface Ledger {
  readonly sessions: readonly (readonly LedgerCall[])[];
}

/** Is given to a mock, and keeps what its callers use: those of one key are one consumer. */
export interface LedgerKeeper {
  /** What was used until now; the same calls in the same order are told once. */
  ledger(): Ledger;
  /** Keeps one request and its answer. */
  keep(apiKey: string, body: Piece, reply: Reply): void;
}

export function createLedger(): LedgerKeeper {
  const sessions = new Map<string, LedgerCall[]>();
  return {
    ledger: () => mergedLedger([...sessions.values()]),
    keep(apiKey, body, reply) {
      const session = sessions.get(apiKey) ?? [];
      sessions.set(apiKey, session);
      const replies = repliesOf(jsonOf(textOf(reply)));
      for (const member of membersOf(jsonOf(body)).members) {
        const call = callOf(member);
        const answer = replies.find((one) => isReplyTo(call, one));
        if (call === undefined || answer === undefined) continue;
        const kept = { method: call.method, params: call.params, ...answered(answer) };
        // Polls that are told the same are one.
        if (session.length > 0 && usedText(session.slice(-1)) === usedText([kept])) session.pop();
        session.push(kept);
      }
    },
  };
}

/** Sessions as a ledger, each once. */
export function mergedLedger(sessions: Ledger["sessions"]): Ledger {
  const used = sessions.filter(({ length }) => length > 0);
  return { sessions: [...new Map(used.map((session) => [usedText(session), session])).values()] };
}

/** Answers as the handler does, and keeps what was used. */
export function keepingHandler(handler: Handler, keeper: LedgerKeeper): Handler {
  async function handle(body: Piece, headers: RequestHeaders, signal?: AbortSignal) {
    const reply = await handler.handle(body, headers, signal);
    keeper.keep(apiKeyOf(headers) ?? "", body, reply);
    return reply;
  }
  return { ...handler, handle };
}

function answered({ result, error }: ReplyObject): Pick<LedgerCall, "result" | "error"> {
  // What the handler answers is no fault.
  if (error !== undefined) return { error: { code: (error as { readonly code: number }).code } };
  const { rows } = result as { readonly rows?: unknown };
  return { result: Array.isArray(rows) ? { ...(result as object), rows: rows.slice(0, 1) } : result };
}

/** What is used of calls: how they ended, and not when. */
function usedText(session: readonly LedgerCall[]): string {
  const used = session.map(({ method, params, result, error }) => [method, params, error?.code, statesIn(result)]);
  return JSON.stringify(used);
}

function statesIn(result: unknown): readonly string[] {
  const states: string[] = [];
  JSON.stringify(result, (name, value) => {
    if (name === "state") states.push(value);
    return value;
  });
  return states;
}
