// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are placeholders of the corpus
import { expect, it, test } from "vitest";
import type { Expectation, ReplyExpectation } from "../../src/server/corpus.ts";
import { createContract } from "../../src/server/document.ts";
import { expectationProblems } from "../../src/server/expectation.ts";
import { parseAnswer } from "../../src/server/response-body.ts";

const document = { methods: [{ name: "ping" }] };
const contract = createContract(document);
const known = "$" + "{known}";

/** Returns the problems of an answer with this value as its body, or of one without a body. */
function problemsOf(value: unknown, expected: Expectation, status = 200): readonly string[] {
  const body = Buffer.from(value === undefined ? "" : JSON.stringify(value));
  const answer = { status, headers: { "retry-after": "5", allow: "POST" }, body };
  const read = value === undefined ? undefined : parseAnswer(answer);
  return expectationProblems(answer, read, expected, contract, { known: 7 });
}

const result = { jsonrpc: "2.0", id: 7, result: { a: 1 } };
const rows = {
  ...result,
  result: [
    [3, "row 3"],
    [4, "row 4"],
  ],
};
const refusal = { jsonrpc: "2.0", id: "x", error: { code: -32601, message: "no" } };

test.each<[string, ReplyExpectation, unknown, readonly string[]]>([
  ["any response", {}, result, []],
  ["the id", { id: known }, result, []],
  ["another id", { id: 8 }, result, ["id: expected 8, got 7"]],
  ["an id that is undefined", { id: undefined }, result, ["id: expected nothing, got 7"]],
  ["the text of the id", { idText: known }, result, []],
  ["another text of the id", { idText: "7.0" }, result, ["id: expected 7.0, got 7"]],
  ["a result", { result: "valid" }, result, []],
  ["a result for an error", { result: "valid" }, refusal, ['expected a result, got {"code":-32601,"message":"no"}']],
  [
    "the id and a result for an error",
    { id: 1, result: "document" },
    refusal,
    ['id: expected 1, got "x"', 'expected a result, got {"code":-32601,"message":"no"}'],
  ],
  ["the document", { result: "document" }, { ...result, result: document }, []],
  [
    "the document for another result",
    { result: "document" },
    result,
    ["result: expected the OpenRPC document, got another value"],
  ],
  ["items", { items: { "/result": { count: 2, from: 3, item: ["${index}", "row ${index}"] } } }, rows, []],
  ["a number of items", { items: { "/result": { count: 2 } } }, rows, []],
  ["more items", { items: { "/result": { count: 3 } } }, rows, ["/result: expected 3 items, got 2"]],
  [
    "fewer items, from another index",
    { items: { "/result": { count: 1, item: ["${index}", "row ${index}"] } } },
    rows,
    ["/result: expected 1 items, got 2", '/result: expected [0,"row 0"] at index 0, got [3,"row 3"]'],
  ],
  [
    "another item",
    { items: { "/result": { count: 2, from: 3, item: ["${index}", "row 3"] } } },
    rows,
    ['/result: expected [4,"row 3"] at index 1, got [4,"row 4"]'],
  ],
  ["items of no array", { items: { "/id": { count: 2 } } }, rows, ["/id: expected an array of 2 items, got 7"]],
  ["a code", { error: -32601 }, refusal, []],
  ["one of several codes", { error: [-1, -32601] }, refusal, []],
  ["other codes", { error: [-1, -2] }, refusal, ['expected the error -1 or -2, got {"code":-32601,"message":"no"}']],
  [
    "the id and a code for a result",
    { id: 1, error: -1 },
    { id: 2, result: 3 },
    ["id: expected 1, got 2", 'expected the error -1, got {"id":2,"result":3}'],
  ],
  [
    "another code than these",
    { notError: [-1, -32601] },
    refusal,
    ['error not allowed: {"code":-32601,"message":"no"}'],
  ],
  ["a code that is allowed", { notError: [-1] }, refusal, []],
  ["a value", { values: { "/result/a": 1, "/id": known } }, result, []],
  [
    "other values",
    { values: { "/result/a": 2, "/id": known, "/b": 1 } },
    result,
    ["/result/a: expected 2, got 1", "/b: expected 1, got nothing"],
  ],
  ["not a value", { notValues: { "/result/a": 2 } }, result, []],
  [
    "not this value",
    { notValues: { "/id": known, "/result/a": 1 } },
    result,
    ["/id: value not allowed: 7", "/result/a: value not allowed: 1"],
  ],
])("a response is compared with %s", (_, reply, value, problems) => {
  expect(problemsOf(value, { reply })).toEqual(problems);
});

const batch = [result, refusal];
test.each<[string, Expectation, unknown, readonly string[]]>([
  ["one response", { reply: {} }, batch, [`expected one response object, got ${JSON.stringify(batch)}`]],
  ["one response of an empty batch", { reply: {} }, [], ["expected one response object, got []"]],
  ["responses in any order", { replies: [{ error: -32601 }, { id: 7 }] }, batch, []],
  ["responses with an id first", { replies: [{}, { id: 7 }] }, batch, []],
  ["responses with the text of an id first", { replies: [{}, { idText: "7" }] }, batch, []],
  [
    "two responses for the same expectation",
    { replies: [{ id: 7 }, { id: 7 }] },
    batch,
    [`no response matches {"id":7}: ${JSON.stringify(batch)}`],
  ],
  ["fewer responses", { replies: [{}] }, batch, [`expected 1 responses, got 2: ${JSON.stringify(batch)}`]],
  ["a batch", { replies: [{}] }, result, [`expected an array, got ${JSON.stringify(result)}`]],
  ["a number of responses", { count: 2 }, batch, []],
  ["another number", { count: 3 }, batch, [`expected 3 responses with different ids, got ${JSON.stringify(batch)}`]],
  [
    "different ids",
    { count: 2 },
    [result, result],
    [`expected 2 responses with different ids, got ${JSON.stringify([result, result])}`],
  ],
  ["a number of responses in a batch", { count: 1 }, result, [`expected an array, got ${JSON.stringify(result)}`]],
  ["no body", { body: "empty" }, undefined, []],
  ["an empty body", { body: "empty" }, 1, ["expected an empty body, got 1"]],
  ["a body", { body: "json" }, undefined, ["expected a body, got an empty one"]],
  ["any body", { body: "json" }, 1, []],
  ["nothing", { body: "none", status: 204 }, 1, []],
])("an answer is compared with %s", (_, expected, value, problems) => {
  expect(problemsOf(value, expected)).toEqual(problems);
});

it("has one of the expected statuses, 200 by default", () => {
  expect(problemsOf(1, { body: "json" }, 201)).toEqual(["expected HTTP 200"]);
  expect(problemsOf(1, { body: "json", status: [400, 413] }, 200)).toEqual(["expected HTTP 400 or 413"]);
  expect(problemsOf(1, { body: "json", status: [400, 413] }, 413)).toEqual([]);
  expect(problemsOf(1, { body: "json", status: 204 }, 204)).toEqual([]);
});

it("has headers that match in any case, and must match its body too", () => {
  expect(problemsOf(1, { body: "json", headers: { "Retry-After": "^5$", Allow: "post" } })).toEqual([]);
  expect(problemsOf(1, { body: "json", headers: { Vary: "^$" } })).toEqual([]);
  expect(problemsOf(undefined, { body: "json", headers: { Allow: "GET" } })).toEqual([
    'header Allow: expected a match of GET, got "POST"',
    "expected a body, got an empty one",
  ]);
});

it("is a problem if there is none, except if none is expected", () => {
  expect(expectationProblems(undefined, undefined, { body: "empty" }, contract, {})).toEqual(["no response"]);
  expect(expectationProblems(undefined, undefined, { body: "none" }, contract, {})).toEqual([]);
});
