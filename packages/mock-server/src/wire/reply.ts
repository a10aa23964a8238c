import { isObject } from "@quern/json-rpc/envelope";
import type { Reply } from "@quern/json-rpc/handler";
import type { Call } from "./call.ts";

/** Error object of a reply, with any code and any data. */
export interface FaultError {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

/** Members to replace in a result, at any depth. */
export type ResultOverride = Readonly<Record<string, unknown>>;

/** JSON-RPC reply, which may be defective. */
export interface ReplyObject {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [more: string]: unknown;
}

/** JSON-RPC objects of a body; none if the body is not JSON. */
export interface ReplyBody {
  readonly isBatch: boolean;
  readonly objects: readonly ReplyObject[];
}

/** Reply with its parsed body, so that several middleware parse it once. */
type MockReply = Reply & { parsed?: ReplyBody };

/** Returns the JSON-RPC objects of a reply. */
export function replyBody(reply: MockReply): ReplyBody {
  reply.parsed ??= parsedReply(textOf(reply));
  return reply.parsed;
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

/**
 * Returns the reply with other objects.
 * @param text JSON of the objects. @default JSON without white space
 */
export function withBody(reply: Reply, body: ReplyBody, text = bodyText(body)): Reply {
  const changed: MockReply = { ...reply, body: text === undefined ? [] : [text], parsed: body };
  return changed;
}

function bodyText({ isBatch, objects }: ReplyBody): string | undefined {
  return JSON.stringify(isBatch ? objects : objects[0]);
}

/** Returns the reply with another status and other headers. */
export function withHead(reply: Reply, head: Pick<Reply, "status" | "headers">): Reply {
  return { ...reply, ...head };
}

function isReplyObject(value: unknown): value is ReplyObject {
  return typeof value === "object" && value !== null;
}

/** Returns the text of a reply without the part that is streamed after it. */
export function textOf({ body }: Reply): string {
  const decoder = new TextDecoder();
  return (body ?? []).map((piece) => (typeof piece === "string" ? piece : decoder.decode(piece))).join("");
}

/** Returns true if the id of a reply equals that of a call in type and value. A notification has no reply. */
export function isReplyTo(call: Call | undefined, { id }: ReplyObject): boolean {
  return call?.id !== undefined && JSON.stringify(id) === JSON.stringify(call.id);
}

/** Returns a result with members replaced at any depth. Values of tests become JSON; an undefined member is omitted. */
export function overridden(result: unknown, override: unknown): unknown {
  return jsonValue(withMembers(result, override));
}

function withMembers(value: unknown, override: unknown): unknown {
  if (!isObject(value) || !isObject(override)) return override;
  const members = Object.entries(override).map(([key, member]) => [key, withMembers(value[key], member)]);
  return { ...value, ...Object.fromEntries(members) };
}

/** Returns the value as a reader of its JSON receives it. */
export function jsonValue(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text === undefined ? undefined : JSON.parse(text);
}
