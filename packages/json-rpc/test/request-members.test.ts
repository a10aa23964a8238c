import { expect, test } from "vitest";
import { decodeReply, encodeRequest } from "../src/call.ts";
import { defaultLimits } from "../src/limits.ts";
import { MethodError } from "../src/method-error.ts";
import { decodeRequests, isEmpty, onlyParam, parseBody } from "../src/request.ts";

test("limits have defaults", () => {
  expect(defaultLimits).toEqual({
    maxBodyBytes: 4_194_304,
    maxBatch: 1000,
    maxDepth: 100,
    maxBatchConcurrency: 16,
    maxReplyBytes: 67_108_864,
  });
});

const call = { jsonrpc: "2.0", method: "a", id: 1 };
test.each<[unknown, string | undefined, string]>([
  [7, "null", "expected an object, received 7"],
  [[[]], "null", "expected an object, received an empty array"],
  [{ ...call, jsonrpc: "1.0" }, "1", '/jsonrpc: expected "2.0", received "1.0"'],
  [{ jsonrpc: "2.0", method: 7 }, "null", "/method: expected a string, received 7"],
  [{ ...call, id: "b", params: 7 }, '"b"', "/params: expected an array, received 7"],
  [{ ...call, params: null }, "1", "/params: expected an array, received null"],
  [{ ...call, id: true }, "null", "/id: expected a string, a number or null, received true"],
])("the member %j is invalid", (value, idText, message) => {
  const { member, members } = decodeRequests(JSON.stringify(value), defaultLimits);
  const found = member ?? members?.[0];
  expect(found).toMatchObject({ idText, method: "", params: undefined, fault: { code: -32600 } });
  expect(found?.fault?.message).toBe(`Invalid Request: ${message}`);
});

test("a member keeps its id, method and params", () => {
  const decoded = (value: unknown) => decodeRequests(JSON.stringify(value), defaultLimits).member;
  expect(decoded({ ...call, params: [1] })).toEqual({ idText: "1", method: "a", params: [1], fault: undefined });
  expect(decoded({ ...call, id: null })?.idText).toBe("null");
  expect(decoded({ ...call, id: undefined })).toEqual({
    idText: undefined,
    method: "a",
    params: undefined,
    fault: undefined,
  });
  const large = '[{"id":1,"x":{"id":99999999999999999998}},{"jsonrpc":"2.0","method":"a","id":99999999999999999999}]';
  expect(decodeRequests(large, defaultLimits).members?.[1]?.idText).toBe("99999999999999999999");
});

test("a batch has 1 to as many requests as the limit", () => {
  const limits = { maxBatch: 2, maxDepth: 3 };
  const fault = (count: number) => decodeRequests(JSON.stringify(Array(count).fill(call)), limits).fault;
  expect([fault(1), fault(2)]).toEqual([undefined, undefined]);
  expect(fault(0)?.message).toBe("Invalid Request: expected a batch of 1 to 2 requests, received an empty array");
  expect(fault(3)).toMatchObject({ code: -32600, message: expect.stringMatching(/of 3$/) });
});

test("a body that cannot be read is a parse error with its reason", () => {
  expect(decodeRequests("{", defaultLimits)).toEqual({
    fault: { code: -32700, message: "Parse error: the body is not JSON" },
  });
  expect(decodeRequests(new Uint8Array([0x22, 0xff]), defaultLimits)).toEqual({
    fault: { code: -32700, message: "Parse error: the body is not UTF-8" },
  });
  expect(decodeRequests('{"id":[[[]]]}', { maxBatch: 1, maxDepth: 3 }).member).toMatchObject({
    idText: "null",
    fault: { code: -32600, message: expect.stringContaining("at most 3 levels of arrays and objects") },
  });
  expect(() => parseBody("[".repeat(101) + "]".repeat(101))).toThrow("nested more than 100 levels deep");
  expect(parseBody("[".repeat(100) + "]".repeat(100)).value).toHaveLength(1);
});

test("a call by position has one parameter", () => {
  const issue = (pointer: string, expected: string, received: string) => ({
    code: -32602,
    message: `Invalid params: ${pointer}: expected ${expected}, received ${received}`,
    data: { issues: [{ pointer, expected, received }] },
  });
  expect(onlyParam([7])).toEqual({ value: 7 });
  expect(onlyParam({})).toEqual(issue("/params", "an array of one object", "an object"));
  expect(onlyParam(undefined)).toEqual(issue("/params", "an array of one object", "nothing"));
  expect(onlyParam([])).toEqual(issue("/params/0", "an object", "nothing"));
  expect(onlyParam([1, 2])).toEqual(issue("/params/1", "one object only", "2"));
  expect([undefined, null, [], {}, [1], { a: 1 }].map(isEmpty)).toEqual([true, false, true, true, false, false]);
});

test.each([
  { id: true, result: 1 },
  { id: [], result: 1 },
  { id: 1, error: {} },
  { id: 1, error: { code: 1 } },
  { id: 1, error: { message: "m" } },
  { id: 1, error: { code: 1, message: 2 } },
  { id: 1, error: [] },
  { id: 1, result: 0, error: { code: 1, message: "m" } },
])("%j is no response", (value) => {
  expect(decodeReply(value)).toBe(undefined);
});

test("a request has its members in order", () => {
  expect(encodeRequest(7, "a", { b: 1 })).toBe('{"jsonrpc":"2.0","method":"a","params":[{"b":1}],"id":7}');
});

test("a method error has its options, and a cause only if there is one", () => {
  const error = new MethodError(1, "m", { data: 2, httpStatus: 3, headers: { a: "b" }, cause: 4 });
  expect(error).toMatchObject({
    name: "MethodError",
    code: 1,
    message: "m",
    data: 2,
    httpStatus: 3,
    headers: { a: "b" },
  });
  expect(error.cause).toBe(4);
  expect(Object.hasOwn(new MethodError(1, "m"), "cause")).toBe(false);
});
