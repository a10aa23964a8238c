import { jsonValue, merged, type ReplyObject } from "../wire/reply.ts";
import type { Fault, Misreply } from "./fault.ts";

const otherId = 4711;
const refusal = { code: -32099, message: "no" };

function without(reply: ReplyObject, ...names: readonly string[]): ReplyObject {
  return Object.fromEntries(Object.entries(reply).filter(([name]) => !names.includes(name)));
}

const misreplies: Readonly<Record<Misreply, (reply: ReplyObject) => readonly ReplyObject[]>> = {
  "the id of another call": (reply) => [{ ...reply, id: otherId }],
  "the id as text": (reply) => [{ ...reply, id: String(reply.id) }],
  "the id null": (reply) => [{ ...reply, id: null }],
  "no id": (reply) => [without(reply, "id")],
  "no version": (reply) => [without(reply, "jsonrpc")],
  "JSON-RPC 1.0 with error null": (reply) => [{ error: null, ...without(reply, "jsonrpc") }],
  "both result and error": (reply) => [{ result: null, error: refusal, ...reply }],
  "neither result nor error": (reply) => [without(reply, "result", "error")],
  "members beyond the standard": (reply) => [{ ...reply, took: 3, constructor: { error: refusal } }],
  "a member missing": () => [],
  "a reply twice": (reply) => [reply, reply],
};

/** What is sent in place of the right reply. */
export function misreply(reply: ReplyObject, { reply: name, result, change }: Fault): readonly ReplyObject[] {
  let changed = reply;
  if (result !== undefined) changed = { ...without(reply, "error"), result: jsonValue(result) };
  if (change !== undefined && changed.error === undefined)
    changed = { ...changed, result: merged(changed.result, change) };
  return name === undefined ? [changed] : misreplies[name](changed);
}
