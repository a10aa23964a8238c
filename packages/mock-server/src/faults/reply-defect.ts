import { jsonValue, overridden, type ReplyObject } from "../wire/reply.ts";
import type { Fault, ReplyDefect } from "./fault.ts";

const otherId = 4711;
const error = { code: -32099, message: "no" };

function without(reply: ReplyObject, ...names: readonly string[]): ReplyObject {
  return Object.fromEntries(Object.entries(reply).filter(([name]) => !names.includes(name)));
}

const defects: Readonly<Record<ReplyDefect, (reply: ReplyObject) => readonly ReplyObject[]>> = {
  "other-id": (reply) => [{ ...reply, id: otherId }],
  "string-id": (reply) => [{ ...reply, id: String(reply.id) }],
  "null-id": (reply) => [{ ...reply, id: null }],
  "missing-id": (reply) => [without(reply, "id")],
  "missing-version": (reply) => [without(reply, "jsonrpc")],
  "json-rpc-1.0": (reply) => [{ error: null, ...without(reply, "jsonrpc") }],
  "result-and-error": (reply) => [{ result: null, error, ...reply }],
  "no-result-or-error": (reply) => [without(reply, "result", "error")],
  "extra-members": (reply) => [{ ...reply, took: 3, constructor: { error } }],
  "missing-reply": () => [],
  "duplicate-reply": (reply) => [reply, reply],
};

/** Returns the replies that a fault sends in place of the correct one. */
export function defectiveReplies(reply: ReplyObject, fault: Fault): readonly ReplyObject[] {
  const { replyDefect, result, override } = fault;
  let changed = reply;
  if (result !== undefined) changed = { ...without(reply, "error"), result: jsonValue(result) };
  if (override !== undefined && changed.error === undefined)
    changed = { ...changed, result: overridden(changed.result, override) };
  return replyDefect === undefined ? [changed] : defects[replyDefect](changed);
}
