import { expect, test } from "vitest";
import { createContract } from "../../src/server/document.ts";
import { judgeAnswer } from "../../src/server/invariants.ts";
import { readDocumentSync } from "../../src/server/spec.ts";

const contract = createContract(readDocumentSync());
const sent = [{ idText: "1", method: "listQueryRuns", params: [{}], isNotification: false }];

/** Returns the problems of a batch of these responses. */
function problemsOf(replies: readonly object[], status = 200, contentType = "application/json") {
  const body = Buffer.from(JSON.stringify(replies));
  return judgeAnswer({ status, headers: { "content-type": contentType }, body }, sent, contract).problems;
}

test("problems are ordered: headers, then responses, then their number", () => {
  const reply = { jsonrpc: "2.0", id: 1, error: { code: -32_601, message: "no" } };
  expect(problemsOf([reply])).toEqual([]);
  expect(problemsOf([reply, { ...reply, jsonrpc: 1 }], 200, "text/plain")).toEqual([
    "content type: expected application/json, got text/plain",
    'jsonrpc: expected "2.0", got 1',
    "id 1 is answered 2 times",
    "expected 1 responses, got 2",
  ]);
  expect(problemsOf([reply, { ...reply, id: null }], 500)).toEqual([
    "server error; only HTTP 503 with Retry-After is allowed",
  ]);
});
