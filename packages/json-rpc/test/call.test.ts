import { expect, test } from "vitest";
import { decodeReply, encodeRequest } from "../src/envelope.ts";

test("a request is one object by position", () => {
  expect(JSON.parse(encodeRequest(3, "getQueryRun", { queryRunId: "a" }))).toEqual({
    jsonrpc: "2.0",
    method: "getQueryRun",
    params: [{ queryRunId: "a" }],
    id: 3,
  });
});

test.each([
  [
    { jsonrpc: "2.0", id: 1, result: null },
    { id: 1, result: null },
  ],
  [{ result: 1 }, { id: undefined, result: 1 }],
  [
    { id: "a", result: 1, error: null },
    { id: "a", result: 1 },
  ],
  [
    { id: null, error: { code: -1, message: "m" } },
    { id: null, error: { code: -1, message: "m" } },
  ],
  [
    { id: 1, result: null, error: { code: -1, message: "m" } },
    { id: 1, error: { code: -1, message: "m" } },
  ],
])("%j is a reply", (value, reply) => {
  expect(decodeReply(value)).toEqual(reply);
});

test.each([
  null,
  1,
  "x",
  [],
  {},
  { id: 1 },
  { id: {}, result: 1 },
  { id: 1, error: "x" },
  { id: 1, error: { code: "1", message: "m" } },
  { id: 1, result: 1, error: { code: 1, message: "m" } },
])("%j is no reply", (value) => {
  expect(decodeReply(value)).toBeUndefined();
});
