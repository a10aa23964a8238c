import { isObject, type JsonObject } from "../server/json.ts";

/** One call of a consumer, and the answer that a mock gave. */
export interface LedgerCall {
  readonly method: string;
  readonly params: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

/** Data that the service must have before the calls of a session. Consumer and provider agree on the name. */
export interface ProviderState {
  readonly name: string;
  readonly params?: JsonObject;
}

/** Calls of one consumer in one test, in order. */
export interface LedgerSession {
  readonly consumer?: string;
  readonly test?: string;
  readonly providerStates?: readonly ProviderState[];
  readonly calls: readonly LedgerCall[];
}

/** Calls of consumers, recorded by a mock. A session without names may be its array of calls. */
export interface Ledger {
  readonly sessions: readonly (LedgerSession | readonly LedgerCall[])[];
}

/** The value is not a ledger, has no calls, or needs a provider state although `changeState` is not given. */
export class LedgerError extends Error {
  override readonly name = "LedgerError";
}

/** Reads the sessions of a ledger. @throws LedgerError if the value is not a ledger */
export function sessionsOf(ledger: unknown): readonly LedgerSession[] {
  const sessions = isObject(ledger) ? ledger.sessions : undefined;
  if (!Array.isArray(sessions)) throw new LedgerError('not a ledger: expected an object with the array "sessions"');
  return sessions.map((session, index) => sessionOf(session, `/sessions/${index}`));
}

function sessionOf(value: unknown, pointer: string): LedgerSession {
  const { calls, consumer, test, providerStates = [] }: JsonObject = isObject(value) ? value : { calls: value };
  const refuse = (member: string, expected: string) => {
    throw new LedgerError(`not a ledger: ${pointer}${member} must be ${expected}`);
  };
  if (!Array.isArray(calls)) return refuse("", 'an array of calls, or an object with the array "calls"');
  const wrong = calls.findIndex((call) => !isObject(call) || typeof call.method !== "string");
  if (wrong >= 0) refuse(`${isObject(value) ? "/calls" : ""}/${wrong}`, 'an object with the string "method"');
  if (consumer !== undefined && typeof consumer !== "string") return refuse("/consumer", "a string");
  if (test !== undefined && typeof test !== "string") return refuse("/test", "a string");
  if (!Array.isArray(providerStates) || !providerStates.every(isProviderState))
    return refuse("/providerStates", 'an array of objects with the string "name" and the optional object "params"');
  return { ...(consumer !== undefined && { consumer }), ...(test !== undefined && { test }), providerStates, calls };
}

function isProviderState(value: unknown): value is ProviderState {
  return isObject(value) && typeof value.name === "string" && (value.params === undefined || isObject(value.params));
}
