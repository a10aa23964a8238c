import { isObject } from "../server/json.ts";

/** One call of a consumer, and what it was answered by a mock. */
export interface LedgerCall {
  readonly method: string;
  readonly params: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** What consumers used, as a mock has kept it: the calls of each, in order. */
export interface Ledger {
  readonly sessions: readonly (readonly LedgerCall[])[];
}

/** What was to be a ledger is none. */
export class LedgerError extends Error {
  override readonly name = "LedgerError";
}

/** Reads a ledger. @throws LedgerError where it is none */
export function ledgerOf(value: unknown): Ledger {
  const sessions = isObject(value) ? value.sessions : undefined;
  const isSession = (one: unknown): one is LedgerCall[] =>
    Array.isArray(one) && one.every((call) => isObject(call) && typeof call.method === "string");
  if (Array.isArray(sessions) && sessions.every(isSession)) return { sessions };
  throw new LedgerError('a ledger is an object with the array "sessions", each an array of calls');
}
