import { type ParsedBody, type Piece, parseBody, type Reply, type RequestHeaders } from "@quern/json-rpc/handler";
import { type Call, callOf } from "./call.ts";

/** HTTP request to the mock, parsed once for all middleware. `State` is the part of a namespace's state that a middleware uses. */
export interface Exchange<State> {
  /** Body as received; after `next` with members, JSON of those. */
  readonly body: Piece;
  /** Undefined if the body is not JSON. */
  readonly parsed: ParsedBody | undefined;
  readonly isBatch: boolean;
  /** Requests of a batch, or the single request; `[undefined]` if the body is not JSON. */
  readonly members: readonly unknown[];
  /** Call of each member; undefined for a member that is not a call. */
  readonly calls: readonly (Call | undefined)[];
  readonly headers: RequestHeaders;
  /** Namespace of the API key; undefined for an unknown key. */
  readonly namespace: State | undefined;
  readonly signal: AbortSignal | undefined;
}

/** Passes the exchange to the next middleware; with `members`, only those. */
export type Next = (members?: readonly unknown[]) => Promise<Reply>;

/** Answers an exchange with the reply of `next`, a changed one, or its own. */
export type Middleware<State> = (exchange: Exchange<State>, next: Next) => Promise<Reply>;

/** Returns the API key of a request: `x-api-key`, or without that header the token of `Authorization: Bearer`. */
export function apiKeyOf(headers: RequestHeaders): string | undefined {
  return headers.get("x-api-key") || /^Bearer +(.+)$/i.exec(headers.get("authorization") ?? "")?.[1];
}

type Caller<State> = Pick<Exchange<State>, "headers" | "namespace" | "signal">;

/** Parses the body of a request. */
export function createExchange<State>(body: Piece, caller: Caller<State>): Exchange<State> {
  return exchangeOf(body, parsedOrUndefined(body), caller);
}

function exchangeOf<State>(
  body: Piece,
  parsed: ParsedBody | undefined,
  { headers, namespace, signal }: Caller<State>,
): Exchange<State> {
  const members = membersOf(parsed?.value);
  const calls = members.map(callOf);
  return { body, parsed, isBatch: Array.isArray(parsed?.value), members, calls, headers, namespace, signal };
}

/** Returns the calls of a body; undefined for each member that is not a call. */
export function parsedCalls(body: Piece): Exchange<unknown>["calls"] {
  return membersOf(parsedOrUndefined(body)?.value).map(callOf);
}

function membersOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [value];
}

function parsedOrUndefined(body: Piece): ParsedBody | undefined {
  try {
    return parseBody(body, { exactNumbers: true });
  } catch {
    return undefined;
  }
}

/** Returns the exchange with only some of its members. */
function narrowed<State>(exchange: Exchange<State>, members: readonly unknown[]): Exchange<State> {
  const value = exchange.isBatch ? members : members[0];
  const text = JSON.stringify(value);
  return exchangeOf(text, { text, value }, exchange);
}

/** Innermost handler of an exchange. */
type Answer<State> = (exchange: Exchange<State>) => Promise<Reply>;

/** Chains middleware, the outermost first, around the function that performs the calls. */
export function chain<State>(middleware: readonly Middleware<State>[], perform: Answer<State>): Answer<State> {
  return middleware.reduceRight<Answer<State>>(
    (inner, outer) => (exchange) =>
      outer(exchange, (members) => inner(members === undefined ? exchange : narrowed(exchange, members))),
    perform,
  );
}
