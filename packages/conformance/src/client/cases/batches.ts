import type { AdversaryCase, Fault } from "../case.ts";
import { create, html, look, must, never, otherLook } from "./asks.ts";

const refusal = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}';
const failed = '{"jsonrpc":"2.0","id":{id1},"error":{"code":-32099,"message":"no such run","data":{}}}';

/** Two looks at once, and what becomes of the batch they share. */
function two(name: string, fault: Fault, first: string, second: string): AdversaryCase {
  return { name, calls: [look, otherLook], faults: [{ batch: true, ...fault }], ends: [first, second] };
}

/** Answers to two calls that share a request. A client that sends no batches does not meet them. */
export const batchCases: readonly AdversaryCase[] = [
  { ...two("replies in another order", { body: "[{1},{0}]" }, "right", "right"), ...must },
  two("a member missing", { body: "[{0}]" }, "right", "protocol"),
  two("all members missing", { body: "[]" }, "protocol", "protocol"),
  two("a reply twice", { body: "[{0},{0},{1}]" }, "right", "right"),
  two(
    "an id twice with another result",
    { body: '[{0},{"jsonrpc":"2.0","id":{id0},"result":7},{1}]' },
    "right or protocol",
    "right",
  ),
  two(
    "all replies by one id",
    { body: '[{0},{"jsonrpc":"2.0","id":{id0},"result":{result1}}]' },
    "right or protocol",
    "protocol",
  ),
  two(
    "replies to nobody among the right ones",
    { body: '[{"jsonrpc":"2.0","id":4711,"result":1},{0},null,7,"text",[],{},{1}]' },
    "right",
    "right",
  ),
  two("an error without an id", { body: `[{0},${refusal}]` }, "right", "protocol or undeclared -32600"),
  two("a failed member", { body: `[{0},${failed}]` }, "right", "rpc -32099"),
  two("an unreadable member", { body: '[{"jsonrpc":"2.0","id":{id0},"error":"no"},{1}]' }, "protocol", "right"),
  two("one refusal of the whole batch", { body: refusal, ...never }, "right", "right"),
  two("one refusal with HTTP 400", { status: 400, body: refusal, ...never }, "right", "right"),
  two("one reply to the first call, in no array", { body: "{0}", ...never }, "right", "right"),
  two("HTTP 500 for each batch", { status: 500, body: html, ...never }, "right", "right"),
  two("HTTP 413 for each batch", { status: 413, body: "", ...never }, "right", "right"),
  two("HTML for each batch", { body: html, ...never }, "right", "right"),
  two(
    "a redirect of each batch",
    { status: 307, headers: { location: "/x" }, body: "" },
    "right or http",
    "right or http",
  ),
  { ...two("HTTP 401 for a batch", { status: 401, body: html }, "http 401", "http 401"), sends: { getQueryRun: 2 } },
  { ...two("a batch in chunks of one byte", { travel: "bytes" }, "right", "right"), ...must },
  two("a batch cut in the middle", { travel: "cut" }, "right", "right"),
  {
    name: "a create in a batch answered with HTML",
    calls: [create, look],
    faults: [{ batch: true, body: html }],
    ends: ["protocol", "right"],
    sends: { createQueryRun: 1 },
  },
];
