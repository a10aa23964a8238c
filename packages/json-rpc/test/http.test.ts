import { expect, test } from "vitest";
import { handlerOf, intercepted, refused, smallBodyBytes } from "../src/admission.ts";
import { arrayText, byteLength, joined } from "../src/bytes.ts";
import { MethodError } from "../src/handler.ts";
import { bodyTooLarge, corsOf, errorReply, isEndpoint, notFound, replyByHead } from "../src/http.ts";
import { defaultLimits } from "../src/limits.ts";
import { jsonReply, type Reply } from "../src/reply.ts";
import { createReplyBudget } from "../src/reply-budget.ts";
import { resultText } from "../src/result-text.ts";
import { bytes } from "./echo.ts";

const bodyOf = ({ body }: Reply) => JSON.parse((body ?? []).join(""));
const invalidRequest = (message: string) => ({
  jsonrpc: "2.0",
  id: null,
  error: { code: -32600, message: `Invalid Request: ${message}` },
});

test.each([
  ["/json-rpc", true],
  ["//json-rpc", true],
  ["/json-rpc?a=1", true],
  ["//json-rpc?", true],
  ["?/json-rpc", false],
  ["/json-rpc/", false],
  ["/json-rpcs", false],
  ["/json-rp?c", false],
  ["", false],
])("the path %j is that of the endpoint: %j", (path, expected) => {
  expect(isEndpoint(path)).toBe(expected);
});

test.each([
  ["application/json", undefined],
  ["application/json; charset=utf-8", undefined],
  [" Application/JSON ;x", undefined],
  ["text/plain", '"text/plain"'],
  ["text/json;application/json", '"text/json;application/json"'],
  ["", '""'],
  [null, "nothing"],
  [undefined, "nothing"],
])("the content type %j is refused as %s", (type, received) => {
  const reply = replyByHead("POST", type);
  if (received === undefined) return expect(reply).toBeUndefined();
  expect(reply).toMatchObject({ status: 415, headers: { "content-type": "application/json" } });
  expect(reply && bodyOf(reply)).toEqual(
    invalidRequest(`expected the content type application/json, received ${received}`),
  );
});

test("the verb OPTIONS is answered with what a page may send, and others are refused with the allowed ones", () => {
  expect(replyByHead("OPTIONS", null)).toEqual({
    status: 204,
    headers: {
      allow: "POST, OPTIONS",
      "access-control-allow-methods": "POST",
      "access-control-allow-headers": "x-api-key, authorization, content-type, x-request-id, traceparent",
      "access-control-max-age": "86400",
    },
    body: null,
  });
  const reply = replyByHead("GET", "application/json");
  expect(reply).toMatchObject({
    status: 405,
    headers: { allow: "POST, OPTIONS", "content-type": "application/json" },
  });
  expect(reply && bodyOf(reply)).toEqual(invalidRequest("expected POST, received GET"));
});

test("an unknown path and a large body have replies of their own", () => {
  expect([notFound.status, bodyOf(notFound)]).toEqual([404, invalidRequest("unknown path; send POST to /json-rpc")]);
  const tooLarge = bodyTooLarge(7);
  expect([tooLarge.status, bodyOf(tooLarge)]).toEqual([
    413,
    invalidRequest("expected a body of at most 7 bytes, received more"),
  ]);
});

test("an error of a whole request has its status, headers and id", () => {
  const reply = errorReply(new MethodError(-1, "no", { httpStatus: 503, headers: { "retry-after": "1" } }), '"a"');
  expect(reply).toMatchObject({ status: 503, headers: { "content-type": "application/json", "retry-after": "1" } });
  expect(bodyOf(reply)).toEqual({ jsonrpc: "2.0", id: "a", error: { code: -1, message: "no" } });
  const plain = errorReply(new MethodError(-1, "no"));
  expect([plain.status, plain.headers, bodyOf(plain).id]).toEqual([401, { "content-type": "application/json" }, null]);
});

test("an origin gets the CORS headers of the policy", () => {
  const exposed = { "access-control-expose-headers": "retry-after, x-request-id" };
  expect(corsOf("https://a", undefined)).toEqual({ "access-control-allow-origin": "*", ...exposed });
  const own = { "access-control-allow-origin": "https://a", ...exposed, vary: "origin" };
  expect(corsOf("https://a", ["https://b", "https://a"])).toEqual(own);
  expect(corsOf("https://a", ["https://b"])).toEqual({ vary: "origin" });
});

test("each limit has its default", () => {
  expect(defaultLimits).toEqual({
    maxBodyBytes: 4_194_304,
    maxBatch: 1_000,
    maxDepth: 100,
    maxBatchConcurrency: 16,
    maxReplyBytes: 67_108_864,
  });
  expect(smallBodyBytes).toBe(65_536);
});

test("a refused request may have a small body of the limit, whose id its answer has", async () => {
  const error = new MethodError(-32163, "no key");
  const body = '{"jsonrpc":"2.0","method":"echo","id":7}';
  const admission = (maxBodyBytes: number) => refused(error, { ...defaultLimits, maxBodyBytes });
  expect([admission(1e6).maxBodyBytes, admission(60).maxBodyBytes]).toEqual([65_536, 60]);
  const idOf = async (maxBodyBytes: number, sent: Parameters<ReturnType<typeof admission>["answer"]>[0]) =>
    bodyOf(await admission(maxBodyBytes).answer(sent)).id;
  expect(await idOf(body.length, body)).toBe(7);
  expect(await idOf(body.length, bytes(body))).toBe(7);
  expect(await idOf(body.length - 1, body)).toBe(null);
  const parsed = { text: body, value: JSON.parse(body) };
  expect([await idOf(body.length, parsed), await idOf(body.length - 1, parsed)]).toEqual([7, null]);
  expect(admission(60).tooLarge).toEqual(errorReply(error));
});

test("an interceptor gets the request, and passes body and signal on; the limits are those of the inner handler", async () => {
  const seen: unknown[] = [];
  const reply = jsonReply("1");
  const tooLarge = bodyTooLarge(5);
  const limits = { ...defaultLimits, maxBatch: 3 };
  const inner = handlerOf<string>({
    limits,
    admit: async () => ({
      maxBodyBytes: 5,
      tooLarge,
      async answer(body, signal) {
        seen.push(body, signal);
        return reply;
      },
    }),
  });
  const handler = intercepted(inner, async ({ body, headers, signal }, next) => {
    seen.push(body, headers, signal);
    return next(`inner ${body}`);
  });
  const [headers, { signal }] = [new Headers(), new AbortController()];
  expect(await handler.handle("a", headers, signal)).toBe(reply);
  expect(seen).toEqual(["a", headers, signal, "inner a", signal]);
  expect(handler.limits).toBe(limits);
  expect(await handler.admit(headers)).toEqual({ maxBodyBytes: 5, tooLarge, answer: expect.any(Function) });
});

test("texts have their bytes, and adjacent strings are joined", () => {
  expect(byteLength(["é", bytes("é"), ""])).toBe(4);
  const piece = bytes("x");
  expect(joined(["a", "b", piece, piece, "c", "d", "e"])).toEqual(["ab", piece, piece, "cde"]);
  expect(arrayText(["1", ["2", piece], "3"])).toEqual(["[", "1", ",", "2", piece, ",", "3", "]"]);
});

test("a budget takes answers until one does not fit, and later ones that do", () => {
  const budget = createReplyBudget(10);
  expect(budget.error).toEqual({
    code: -32600,
    message: "Invalid Request: expected a batch whose answers have at most 10 bytes, received more",
    data: {
      issues: [{ pointer: "", expected: "a batch whose answers have at most 10 bytes", received: "more" }],
    },
  });
  expect([budget.fit("1", "12345"), budget.isSpent]).toEqual([["12345"], false]);
  const refusal = JSON.parse(String(budget.fit("2", ["123", "456"])));
  expect([refusal, budget.isSpent]).toEqual([{ jsonrpc: "2.0", id: 2, error: budget.error }, true]);
  expect(JSON.parse(String(budget.fit(undefined, "123456"))).id).toBe(null);
  expect(budget.fit("3", ["12", "345"])).toEqual(["12345"]);
  expect(budget.fit("4", "")).toEqual([""]);
  expect(JSON.parse(String(budget.fit("5", "1"))).id).toBe(5);
});

test("a result that JSON does not have is null", () => {
  expect([resultText(undefined), resultText(() => 1), resultText(0)]).toEqual(["null", "null", "0"]);
});
