import type { Reply } from "@quern/json-rpc/handler";
import type { Call } from "./call.ts";

/** Error object of a reply: any code, any data. */
export interface FaultError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** A JSON-RPC reply, or something like one. */
export interface ReplyObject {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [more: string]: unknown;
}

/** JSON-RPC objects of a body; none where the body is not JSON. */
export interface ReplyBody {
  readonly isBatch: boolean;
  readonly objects: readonly ReplyObject[];
}

/** Bodies by their replies, so that a reply that several middleware read is parsed once. */
const bodies = new WeakMap<Reply, ReplyBody>();

/** Returns the JSON-RPC objects of a reply. */
export function replyBody(reply: Reply): ReplyBody {
  const known = bodies.get(reply);
  if (known !== undefined) return known;
  const body = parsedReply(textOf(reply));
  bodies.set(reply, body);
  return body;
}

/** Parses the text of a reply. */
export function parsedReply(text: string): ReplyBody {
  try {
    const value: unknown = JSON.parse(text);
    const isBatch = Array.isArray(value);
    return { isBatch, objects: (isBatch ? value : [value]).filter(isReplyObject) };
  } catch {
    return { isBatch: false, objects: [] };
  }
}

/** Returns the reply with other objects. @param text JSON of the objects, where it is not the shortest one */
export function withBody(reply: Reply, body: ReplyBody, text = bodyText(body)): Reply {
  const changed = { ...reply, body: text === undefined ? [] : [text] };
  bodies.set(changed, body);
  return changed;
}

function bodyText({ isBatch, objects }: ReplyBody): string | undefined {
  return JSON.stringify(isBatch ? objects : objects[0]);
}

/** Returns the reply with another status and other headers. */
export function withHead(reply: Reply, head: Pick<Reply, "status" | "headers">): Reply {
  const changed = { ...reply, ...head };
  const body = bodies.get(reply);
  if (body !== undefined) bodies.set(changed, body);
  return changed;
}

function isReplyObject(value: unknown): value is ReplyObject {
  return typeof value === "object" && value !== null;
}

/** Returns the text of a reply as far as it is there; what is streamed after it is not. */
export function textOf({ body }: Reply): string {
  const decoder = new TextDecoder();
  return (body ?? []).map((piece) => (typeof piece === "string" ? piece : decoder.decode(piece))).join("");
}

/** Tells by the ids, whatever these are, if a reply is to a call; none is to a notification. */
export function isReplyTo(call: Call | undefined, { id }: ReplyObject): boolean {
  return call?.id !== undefined && JSON.stringify(id) === JSON.stringify(call.id);
}

/**
 * Returns a value with members put in place of its own, at any depth; what is no object is replaced. Tests write the change, so that the
 * result is made what JSON makes of it: a member that is undefined is left out.
 */
export function merged(value: unknown, change: unknown): unknown {
  return jsonValue(withMembers(value, change));
}

function withMembers(value: unknown, change: unknown): unknown {
  if (!isMembers(value) || !isMembers(change)) return change;
  const members = Object.entries(change).map(([key, member]) => [key, withMembers(value[key], member)]);
  return { ...value, ...Object.fromEntries(members) };
}

/** Returns what the reader of a value's JSON gets. */
export function jsonValue(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}

function isMembers(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
