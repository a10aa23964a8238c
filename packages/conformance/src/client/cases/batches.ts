import type { AdversaryCase, Fault } from "../case.ts";
import { always, create, html, must, otherPoll, poll } from "./requests.ts";

const batchError = '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"Invalid Request"}}';
const failed = '{"jsonrpc":"2.0","id":{id1},"error":{"code":-32099,"message":"no such run","data":{}}}';

/** Case of two polls that share a batch. */
function two(name: string, fault: Fault, first: string, second: string): AdversaryCase {
  return { name, calls: [poll, otherPoll], faults: [{ batch: true, ...fault }], endings: [first, second] };
}

/** Responses to a batch of two calls. For a client that sends no batches, the outcome is `not-reached`. */
export const batchCases: readonly AdversaryCase[] = [
  { ...two("batch in another order", { body: "[{1},{0}]" }, "right", "right"), ...must },
  two("batch without one response", { body: "[{0}]" }, "right", "protocol"),
  two("batch without responses", { body: "[]" }, "protocol", "protocol"),
  two("batch with a duplicate response", { body: "[{0},{0},{1}]" }, "right", "right"),
  two(
    "batch with two results for one id",
    { body: '[{0},{"jsonrpc":"2.0","id":{id0},"result":7},{1}]' },
    "right or protocol",
    "right",
  ),
  two(
    "batch with one id for all responses",
    { body: '[{0},{"jsonrpc":"2.0","id":{id0},"result":{result1}}]' },
    "right or protocol",
    "protocol",
  ),
  two(
    "batch with unknown ids and other values",
    { body: '[{"jsonrpc":"2.0","id":4711,"result":1},{0},null,7,"text",[],{},{1}]' },
    "right",
    "right",
  ),
  two("batch with an error without id", { body: `[{0},${batchError}]` }, "right", "protocol or undeclared -32600"),
  two("batch with a failed call", { body: `[{0},${failed}]` }, "right", "rpc -32099"),
  two("batch with a malformed error", { body: '[{"jsonrpc":"2.0","id":{id0},"error":"no"},{1}]' }, "protocol", "right"),
  two("one error for the whole batch", { body: batchError, ...always }, "right", "right"),
  two("one error with HTTP 400 for the whole batch", { status: 400, body: batchError, ...always }, "right", "right"),
  two("first response without an array", { body: "{0}", ...always }, "right", "right"),
  two("HTTP 500 for every batch", { status: 500, body: html, ...always }, "right", "right"),
  two("HTTP 413 for every batch", { status: 413, body: "", ...always }, "right", "right"),
  two("HTML for every batch", { body: html, ...always }, "right", "right"),
  two("redirect of a batch", { status: 307, headers: { location: "/x" }, body: "" }, "right or http", "right or http"),
  { ...two("HTTP 401 for a batch", { status: 401, body: html }, "http 401", "http 401"), maxSends: { getQueryRun: 2 } },
  { ...two("batch byte by byte", { connection: "byte-by-byte" }, "right", "right"), ...must },
  two("batch closed mid-body", { connection: "close-mid-body" }, "right", "right"),
  {
    name: "batch with a create answered with HTML",
    calls: [create, poll],
    faults: [{ batch: true, body: html }],
    endings: ["protocol", "right"],
    maxSends: { createQueryRun: 1 },
  },
];
