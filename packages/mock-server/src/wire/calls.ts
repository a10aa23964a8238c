import type { Piece } from "@quern/json-rpc/handler";

/** One call of a body, as far as it can be read. */
export interface Call {
  readonly method: string;
  /** The one object that methods take; undefined where the body has none. */
  readonly params: unknown;
  /** Undefined for a notification. */
  readonly id: unknown;
}

/** The members of a JSON-RPC body, undefined where it is no JSON. */
export interface Calls {
  readonly isBatch: boolean;
  readonly members: readonly unknown[];
}

const utf8 = new TextDecoder();

export function jsonOf(text: Piece): unknown {
  try {
    return JSON.parse(typeof text === "string" ? text : utf8.decode(text));
  } catch {
    return undefined;
  }
}

export function membersOf(body: unknown): Calls {
  return Array.isArray(body) ? { isBatch: true, members: body } : { isBatch: false, members: [body] };
}

/** The call that a member is; undefined where it is none. */
export function callOf(member: unknown): Call | undefined {
  if (typeof member !== "object" || member === null) return undefined;
  // Its members are looked at as they are, whatever they are.
  const { method, params, id } = member as Readonly<Record<string, unknown>>;
  return typeof method === "string" ? { method, params: Array.isArray(params) ? params[0] : undefined, id } : undefined;
}

/** Members of params that are of one call only: how long it waits, and which repetition it is. */
const passing = ["waitSeconds", "idempotencyKey"];

/** Params without what is of one call only. */
export function lastingParams(params: unknown): unknown {
  if (typeof params !== "object" || params === null || Array.isArray(params)) return params;
  return Object.fromEntries(Object.entries(params).filter(([name]) => !passing.includes(name)));
}
