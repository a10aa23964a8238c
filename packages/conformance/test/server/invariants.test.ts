import { expect, test } from "vitest";
import { createContract } from "../../src/server/document.ts";
import { checkAnswer } from "../../src/server/invariants.ts";
import { readDocumentSync } from "../../src/server/spec.ts";

const contract = createContract(readDocumentSync());
const sent = [{ idText: "1", method: "listQueryRuns", params: [{}], isNotification: false }];

/** Returns the problems of a batch of these responses. */
function problemsOf(replies: readonly object[], status = 200, contentType = "application/json") {
  const body = Buffer.from(JSON.stringify(replies));
  return checkAnswer({ status, headers: { "content-type": contentType }, body }, sent, contract).problems;
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

const declared = createContract({
  methods: [
    {
      name: "run",
      result: { schema: { type: "object", required: ["a", "b"] } },
      errors: [{ $ref: "#/components/errors/Busy" }],
    },
    { name: "ping", result: { schema: { type: "number" } } },
  ],
  components: { errors: { Busy: { code: -32100, message: "busy" } } },
  "x-errors": { Busy: { data: { type: "object", required: ["retryAfter"] } } },
});

/** Returns the problems of the answer to requests with these ids and methods. */
function found(
  value: unknown,
  calls: readonly (readonly [string | undefined, string])[] = [["1", "run"]],
  { status = 200, headers = { "content-type": "application/json" } as Record<string, string> } = {},
) {
  const members = calls.map(([idText, method]) => ({
    idText,
    method,
    params: [],
    isNotification: idText === undefined,
  }));
  return checkAnswer({ status, headers, body: Buffer.from(JSON.stringify(value)) }, members, declared).problems;
}
const ok = { jsonrpc: "2.0", id: 1, result: { a: 1, b: 2 } };
const failing = (error: unknown, id: unknown = 1) => ({ jsonrpc: "2.0", id, error });

test.each<[string, object, readonly string[]]>([
  ["a result", ok, []],
  ["another version", { ...ok, jsonrpc: 2 }, ['jsonrpc: expected "2.0", got 2']],
  ["another member", { ...ok, took: 3 }, ['response object: unexpected members {"took":3}']],
  [
    "neither a result nor an error",
    { jsonrpc: "2.0", id: 1 },
    [
      "response object: expected exactly one of result and error",
      "result does not match the OpenRPC document: / must be object, got nothing",
    ],
  ],
  [
    "a result and an error",
    { ...ok, error: { code: -1, message: "" } },
    ["response object: expected exactly one of result and error"],
  ],
  ["an id that was not sent", { ...ok, id: 2 }, ["id 2 was not sent"]],
  ["a result for an id of null", { ...ok, id: null }, ["id null was not sent"]],
  ["an id that is an object", { ...ok, id: {} }, ["id {} was not sent"]],
  ["an error for an id of null", failing({ code: -32700, message: "" }, null), []],
  [
    "a result that lacks members",
    { ...ok, result: {} },
    [
      "result does not match the OpenRPC document: /a is missing",
      "result does not match the OpenRPC document: /b is missing",
    ],
  ],
  ["an error that is a text", failing("no"), ['error: expected an object, got "no"']],
  ["an error without a message", failing({ code: -1 }), ["error.message: expected a string, got nothing"]],
  [
    "an error with another member",
    failing({ code: -1, message: "", more: 1 }),
    ['error: unexpected members {"more":1}'],
  ],
  [
    "a code that is a text",
    failing({ code: "1" }),
    ["error.message: expected a string, got nothing", 'error.code: expected an integer, got "1"'],
  ],
  ["a code that is a fraction", failing({ code: 1.5, message: "" }), ["error.code: expected an integer, got 1.5"]],
  ["an internal error", failing({ code: -32603, message: "" }), ['internal error: {"code":-32603,"message":""}']],
  [
    "the least reserved code",
    failing({ code: -32768, message: "" }),
    ["error.code -32768 is reserved and not declared by the method"],
  ],
  ["the code below the reserved ones", failing({ code: -32769, message: "" }), []],
  [
    "the greatest reserved code",
    failing({ code: -32101, message: "" }),
    ["error.code -32101 is reserved and not declared by the method"],
  ],
  ["the first code of servers", failing({ code: -32099, message: "" }), []],
  ["a declared code", failing({ code: -32100, message: "", data: { retryAfter: 1 } }), []],
  [
    "a declared code with other data",
    failing({ code: -32100, message: "", data: {} }),
    ["error.data of -32100 does not match the OpenRPC document: /retryAfter is missing"],
  ],
  ["a declared code without a call", failing({ code: -32100, message: "" }, null), []],
  [
    "an undeclared code without a call",
    failing({ code: -32101, message: "" }, null),
    ["error.code -32101 is reserved and not declared by the method"],
  ],
])("%s is checked", (_, reply, problems) => {
  expect(found(reply)).toEqual(problems);
});

test.each([-32700, -32600, -32601, -32602])("the standard code %i needs no declaration", (code) => {
  expect(found(failing({ code, message: "" }))).toEqual([]);
});

test("a shared id is checked by the method that fits best", () => {
  const calls = [
    ["1", "run"],
    ["1", "ping"],
  ] as const;
  expect(found([{ ...ok, result: 5 }], calls)).toEqual([]);
  expect(found([{ ...ok, result: {} }], calls)).toEqual([
    "result does not match the OpenRPC document: / must be number, got {}",
  ]);
  expect(found([{ ...ok, result: 5 }, ok, ok], calls)).toEqual([
    "id 1 is answered 3 times",
    "expected 2 responses, got 3",
  ]);
});

test("an error of a method is checked by the declarations of that method alone", () => {
  expect(found(failing({ code: -32100, message: "", data: {} }), [["1", "ping"]])).toEqual([
    "error.code -32100 is reserved and not declared by the method",
  ]);
});

test("notifications have no response", () => {
  expect(found(failing({ code: -32700, message: "" }, null), [[undefined, "run"]])).toEqual([
    "expected 0 responses, got 1",
  ]);
  expect(found(failing({ code: -32700, message: "" }, null), [])).toEqual([]);
  expect(
    found(
      [ok, failing({ code: -32600, message: "" }, null)],
      [
        ["1", "run"],
        [undefined, "run"],
      ],
    ),
  ).toEqual(["expected 1 responses, got 2"]);
});

test("several responses may have the id null", () => {
  const refused = failing({ code: -32600, message: "" }, null);
  expect(
    found(
      [refused, refused],
      [
        ["null", "run"],
        ["2", "run"],
      ],
    ),
  ).toEqual([]);
});

test("the only error of a server that is allowed is 503 with Retry-After", () => {
  const serverError = "server error; only HTTP 503 with Retry-After is allowed";
  const headers = { "content-type": "application/json" };
  expect(found(ok, undefined, { status: 500, headers: { ...headers, "retry-after": "1" } })).toEqual([serverError]);
  expect(found(ok, undefined, { status: 503, headers })).toEqual([serverError]);
  expect(found(ok, undefined, { status: 503, headers: { ...headers, "retry-after": "1" } })).toEqual([]);
  expect(found(ok, undefined, { status: 499, headers })).toEqual([]);
});

test("all faults of a response are listed, in the order of its members", () => {
  const reply = { jsonrpc: "1.0", id: 3, error: { code: 0.5, note: 1 }, result: 1, took: 2 };
  expect(found(reply)).toEqual([
    'jsonrpc: expected "2.0", got "1.0"',
    'response object: unexpected members {"took":2}',
    "response object: expected exactly one of result and error",
    "id 3 was not sent",
    "error.message: expected a string, got nothing",
    'error: unexpected members {"note":1}',
    "error.code: expected an integer, got 0.5",
  ]);
});

test("a body is JSON, or empty", () => {
  const read = (text: string, contentType?: string) => {
    const headers = contentType === undefined ? {} : { "content-type": contentType };
    return checkAnswer({ status: 200, headers, body: Buffer.from(text) }, [], declared);
  };
  expect(read("")).toEqual({ read: undefined, isReadable: true, problems: [] });
  expect(read("1", "Application/JSON ; charset=utf-8")).toMatchObject({ isReadable: true, read: { value: 1 } });
  expect(read("1", "x-application/json").problems[0]).toBe(
    "content type: expected application/json, got x-application/json",
  );
  expect(read("1", "application/jsonx").problems[0]).toBe(
    "content type: expected application/json, got application/jsonx",
  );
  expect(read(`<${"a".repeat(200)}`)).toEqual({
    read: undefined,
    isReadable: false,
    problems: ["content type: expected application/json, got none", `body is not JSON: "<${"a".repeat(99)}"`],
  });
});
