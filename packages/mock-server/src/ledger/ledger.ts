import type { Piece, Reply } from "@quern/json-rpc/handler";
import { memberCheck } from "../member-check.ts";
import type { Call } from "../wire/call.ts";
import { apiKeyOf, type Middleware, parsedCalls } from "../wire/exchange.ts";
import { isReplyTo, type ReplyObject, replyBody } from "../wire/reply.ts";

/** One call of a consumer, and what a service without faults answers to it; of rows, the first. */
export interface LedgerCall {
  readonly method: string;
  readonly params: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** Data that the service must have before the calls of a session, by a name that consumer and provider agree on. */
export interface ProviderState {
  readonly name: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Names of a session, which `quern verify` shows beside a difference, and the provider states that it needs. */
export interface SessionNames {
  readonly consumer?: string;
  readonly test?: string;
  readonly providerStates?: readonly ProviderState[];
}

/** Calls of one consumer, in order. */
export interface LedgerSession extends SessionNames {
  readonly calls: readonly LedgerCall[];
}

/** Calls of consumers as JSON; a session without names is its array of calls. Statements are kept as they were sent, keys are not. */
export interface Ledger {
  readonly sessions: readonly (LedgerSession | readonly LedgerCall[])[];
}

/** Keeps the calls of a mock's callers: those of one key are one session. */
export interface LedgerKeeper {
  /** Returns the calls until now; equal sessions are one. */
  ledger(): Ledger;
  /** Names the session of a key, for instance `ledger.name(mock.apiKey, { test: "lists its cars" })`. */
  name(apiKey: string, names: SessionNames): void;
  /** Keeps one request and its answer. @param calls Calls of the body, from a caller that has parsed it */
  keep(apiKey: string, body: Piece, reply: Reply, calls?: readonly (Call | undefined)[]): void;
}

const nameMembers = {
  consumer: { type: "string" },
  test: { type: "string" },
  providerStates: { type: "array" },
} as const;
const checkShared = memberCheck<SessionNames>("createLedger", nameMembers);
const checkNames = memberCheck<SessionNames>("ledger.name", nameMembers);

/** Creates a ledger; `shared` names apply to every session. */
export function createLedger(shared: SessionNames = {}): LedgerKeeper {
  checkShared(shared);
  const sessions = new Map<string, LedgerCall[]>();
  const names = new Map<string, SessionNames>();
  const named = ([apiKey, calls]: readonly [string, readonly LedgerCall[]]) => {
    const own = { ...shared, ...names.get(apiKey) };
    return Object.keys(own).length === 0 ? calls : { ...own, calls };
  };
  return {
    ledger: () => mergedLedger([...sessions].map(named)),
    name(apiKey, own) {
      checkNames(own);
      names.set(apiKey, { ...names.get(apiKey), ...own });
    },
    keep(apiKey, body, reply, calls = parsedCalls(body)) {
      const session = sessions.get(apiKey) ?? [];
      sessions.set(apiKey, session);
      const { objects } = replyBody(reply);
      for (const call of calls) {
        const answer = objects.find((one) => isReplyTo(call, one));
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
  const texts = sessions.flatMap((session) => {
    const { calls, ...names } = "calls" in session ? session : { calls: session };
    return calls.length === 0 ? [] : [[JSON.stringify(names) + usedText(calls), session] as const];
  });
  return { sessions: [...new Map(texts).values()] };
}

/** Answers as `next` does, and keeps what was used. */
export function ledgerMiddleware(keeper: LedgerKeeper): Middleware<unknown> {
  return async ({ headers, body, calls }, next) => {
    const reply = await next();
    keeper.keep(apiKeyOf(headers) ?? "", body, reply, calls);
    return reply;
  };
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
