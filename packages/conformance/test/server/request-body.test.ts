import { expect, it, test } from "vitest";
import { idTexts, shortJson } from "../../src/server/json.ts";
import { sentMembers } from "../../src/server/request-body.ts";
import { parseAnswer, repliesIn } from "../../src/server/response-body.ts";

const answer = (body: string | Buffer) => ({ status: 200, headers: {}, body: Buffer.from(body as string) });

it.each([
  ["a call", { jsonrpc: "2.0", id: 1, method: "a", params: [2] }, ["1", "a", [2], false]],
  ["a notification", { jsonrpc: "2.0", method: "a" }, [undefined, "a", undefined, true]],
  ["a notification with params by name", { jsonrpc: "2.0", method: "a", params: {} }, [undefined, "a", {}, true]],
  ["params that are null", { jsonrpc: "2.0", method: "a", params: null }, [undefined, "a", null, false]],
  ["params that are a number", { jsonrpc: "2.0", method: "a", params: 1 }, [undefined, "a", 1, false]],
  ["another version", { jsonrpc: "1.0", method: "a" }, [undefined, "a", undefined, false]],
  ["a method that is a number", { jsonrpc: "2.0", method: 1 }, [undefined, undefined, undefined, false]],
  ["a number", 1, [undefined, undefined, undefined, false]],
])("a sent body with %s is read alone and in a batch", (_, member, [idText, method, params, isNotification]) => {
  const read = { idText, method, params, isNotification };
  expect(sentMembers(Buffer.from(JSON.stringify(member)))).toEqual([read]);
  expect(sentMembers(Buffer.from(JSON.stringify([member, member])))).toEqual([read, read]);
});

it("has no members if a sent body is not UTF-8 or not JSON", () => {
  expect(sentMembers(Buffer.from("{"))).toEqual([]);
  expect(sentMembers(Buffer.from([0x22, 0xff, 0x22]))).toEqual([]);
});

test("an answer keeps members that are not objects, so that they are checked", () => {
  const one = { id: 1 };
  expect(parseAnswer(answer('{"id":1}'))).toEqual({
    isBatch: false,
    value: one,
    replies: [{ value: one, idText: "1" }],
  });
  expect(parseAnswer(answer('[{"id":1},2]'))).toEqual({
    isBatch: true,
    value: [one, 2],
    replies: [
      { value: one, idText: "1" },
      { value: { notAnObject: 2 }, idText: undefined },
    ],
  });
  expect(() => parseAnswer(answer(Buffer.from([0x22, 0xff, 0x22])))).toThrow(TypeError);
  expect(() => parseAnswer(answer("{"))).toThrow(SyntaxError);
});

test("the responses in an answer are its objects", () => {
  expect(repliesIn(answer('[2,{"id":1},{"id":"b"}]'))).toEqual([
    { idText: "1", value: { id: 1 } },
    { idText: '"b"', value: { id: "b" } },
  ]);
  expect(repliesIn(answer('{"id":1}'))).toEqual([{ idText: "1", value: { id: 1 } }]);
  expect(repliesIn(answer("{"))).toEqual([]);
  expect(repliesIn(undefined)).toEqual([]);
});

test("a value in a message has 200 characters at most", () => {
  expect(shortJson(undefined)).toBe("nothing");
  expect(shortJson("a".repeat(198))).toBe(`"${"a".repeat(198)}"`);
  expect(shortJson("a".repeat(199))).toBe(`"${"a".repeat(199)}…`);
});

test("an id alone in a body keeps its digits, and one below a member does not count", () => {
  expect(idTexts('{"id":12345678901234567890,"params":{"id":2}}')).toEqual(["12345678901234567890"]);
  expect(idTexts('{"params":{"id":2}}')).toEqual([undefined]);
  expect(idTexts('{"id":"a\\udc00b\\udc01"}')).toEqual(['"a\uFFFDb\uFFFD"']);
});
