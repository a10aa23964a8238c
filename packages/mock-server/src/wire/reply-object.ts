import type { Reply } from "@quern/json-rpc/handler";
import { type Call, membersOf } from "./calls.ts";

/** A JSON-RPC reply, or something like one. */
export interface ReplyObject {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly [more: string]: unknown;
}

/** The text of a reply that is there already. */
export function textOf({ body }: Reply): string {
  const decoder = new TextDecoder();
  return (body ?? []).map((piece) => (typeof piece === "string" ? piece : decoder.decode(piece))).join("");
}

/** The reply objects of a JSON-RPC body, as far as they are some. */
export function repliesOf(body: unknown): ReplyObject[] {
  return membersOf(body).members.filter((one): one is ReplyObject => typeof one === "object" && one !== null);
}

/** Whether a reply is to a call, by their ids, whatever these are; none is to a notification. */
export function isReplyTo(call: Call | undefined, { id }: ReplyObject): boolean {
  return call?.id !== undefined && JSON.stringify(id) === JSON.stringify(call.id);
}
