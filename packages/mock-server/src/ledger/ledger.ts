import type { Piece, Reply } from "@quern/json-rpc/handler";
import { memberCheck } from "../member-check.ts";
import type { Call } from "../wire/call.ts";
import { apiKeyOf, type Middleware, parsedCalls } from "../wire/exchange.ts";
import { isReplyTo, type ReplyObject, replyBody } from "../wire/reply.ts";

/** Call of a consumer, and its answer without faults. A result with rows keeps only the first row. */
export interface LedgerCall {
  readonly method: string;
  readonly params: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** Data that the service needs before the calls of a session, as in Pact: a name on which consumer and provider agree, and its params. */
export interface ProviderState {
  readonly name: string;
  readonly params?: Readonly<Record<string, unknown>>;
}

/** Names of a session, which `quern verify` reports beside a difference, and the provider states that the session needs. */
export interface SessionNames {
  readonly consumer?: string;
  readonly test?: string;
  readonly providerStates?: readonly ProviderState[];
}

/** Calls of one consumer, in order. */
export interface LedgerSession extends SessionNames {
  readonly calls: readonly LedgerCall[];
}

/**
 * Calls of consumers as JSON, comparable to a Pact contract. A session without names is an array of calls. It contains
 * statements, parameters and first rows, but no API keys.
 */
export interface Ledger {
  readonly sessions: readonly (LedgerSession | readonly LedgerCall[])[];
}

/** Records the calls of a mock. The calls of one API key are one session. */
export interface LedgerRecorder {
  /** Returns the recorded sessions; equal ones once. */
  ledger(): Ledger;
  /** Names the session of a key: `ledger.name(mock.apiKey, { test: "lists its cars" })`. @throws TypeError for an unknown member */
  name(apiKey: string, names: SessionNames): void;
  /**
   * Records a request and its reply.
   * @param calls Parsed calls of the body. @default the body is parsed
   */
  record(apiKey: string, body: Piece, reply: Reply, calls?: readonly (Call | undefined)[]): void;
}

const nameMembers = {
  consumer: { type: "string" },
  test: { type: "string" },
  providerStates: { type: "array" },
} as const;
const checkShared = memberCheck<SessionNames>("createLedger", nameMembers);
const checkNames = memberCheck<SessionNames>("ledger.name", nameMembers);

/**
 * Creates a ledger.
 * @param shared Names of each session that `name` does not override.
 * @throws TypeError for an unknown member.
 */
export function createLedger(shared: SessionNames = {}): LedgerRecorder {
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
    record(apiKey, body, reply, calls = parsedCalls(body)) {
      const session = sessions.get(apiKey) ?? [];
      sessions.set(apiKey, session);
      const { objects } = replyBody(reply);
      for (const call of calls) {
        const answer = objects.find((one) => isReplyTo(call, one));
        if (call === undefined || answer === undefined) continue;
        const entry: LedgerCall = { method: call.method, params: call.params, ...answered(answer) };
        // If consecutive calls are equal, such as polls with the same state, only the last is kept.
        if (session.length > 0 && comparisonText(session.slice(-1)) === comparisonText([entry])) session.pop();
        session.push(entry);
      }
    },
  };
}

/** Returns a ledger of sessions, without empty and repeated ones. */
export function mergedLedger(sessions: Ledger["sessions"]): Ledger {
  const texts = sessions.flatMap((session) => {
    const { calls, ...names } = "calls" in session ? session : { calls: session };
    return calls.length === 0 ? [] : [[JSON.stringify(names) + comparisonText(calls), session] as const];
  });
  return { sessions: [...new Map(texts).values()] };
}

/** Records requests and replies in a ledger. */
export function ledgerMiddleware(ledger: LedgerRecorder): Middleware<unknown> {
  return async ({ headers, body, calls }, next) => {
    const reply = await next();
    ledger.record(apiKeyOf(headers) ?? "", body, reply, calls);
    return reply;
  };
}

function answered({ result, error }: ReplyObject): Pick<LedgerCall, "result" | "error"> {
  // Faults are applied outside of this middleware, so each error here is well-formed and has a code.
  if (error !== undefined) return { error: { code: (error as { readonly code: number }).code } };
  const { rows } = result as { readonly rows?: unknown };
  return { result: Array.isArray(rows) ? { ...(result as object), rows: rows.slice(0, 1) } : result };
}

/**
 * Returns the text by which calls and sessions are compared: methods, params, error codes and run states, but nothing
 * else of the results.
 */
function comparisonText(session: readonly LedgerCall[]): string {
  const calls = session.map(({ method, params, result, error }) => [method, params, error?.code, statesIn(result)]);
  return JSON.stringify(calls);
}

function statesIn(result: unknown): readonly string[] {
  const states: string[] = [];
  JSON.stringify(result, (name, value) => {
    if (name === "state") states.push(value);
    return value;
  });
  return states;
}
