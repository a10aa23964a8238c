import { describe, expect, it } from "vitest";
import { defectiveReplies } from "../../src/faults/reply-defect.ts";

const reply = { jsonrpc: "2.0", id: 1, result: { a: 1 } };
const failed = { jsonrpc: "2.0", id: 1, error: { code: 5, message: "x" } };
const no = { code: -32_099, message: "no" };

describe("a defect", () => {
  it.each([
    ["other-id", [{ ...reply, id: 4_711 }]],
    ["string-id", [{ ...reply, id: "1" }]],
    ["null-id", [{ ...reply, id: null }]],
    ["missing-id", [{ jsonrpc: "2.0", result: { a: 1 } }]],
    ["missing-version", [{ id: 1, result: { a: 1 } }]],
    ["json-rpc-1.0", [{ id: 1, result: { a: 1 }, error: null }]],
    ["result-and-error", [{ ...reply, error: no }]],
    ["no-result-or-error", [{ jsonrpc: "2.0", id: 1 }]],
    ["extra-members", [{ ...reply, took: 3, constructor: { error: no } }]],
    ["missing-reply", []],
    ["duplicate-reply", [reply, reply]],
  ] as const)("%s changes a reply", (replyDefect, replies) => {
    expect(defectiveReplies(reply, { replyDefect })).toEqual(replies);
  });

  it("result-and-error leaves an error as it is, and json-rpc-1.0 too", () => {
    expect(defectiveReplies(failed, { replyDefect: "result-and-error" })).toEqual([{ ...failed, result: null }]);
    expect(defectiveReplies(failed, { replyDefect: "json-rpc-1.0" })).toEqual([{ id: 1, error: failed.error }]);
  });
});

describe("a result of a fault", () => {
  it("replaces the result or the error", () => {
    expect(defectiveReplies(reply, { result: null })).toEqual([{ ...reply, result: null }]);
    expect(defectiveReplies(failed, { result: [new Date(0)] })).toEqual([
      { jsonrpc: "2.0", id: 1, result: ["1970-01-01T00:00:00.000Z"] },
    ]);
  });

  it("is overridden before a defect, but an error is not", () => {
    expect(defectiveReplies(reply, { override: { b: 2 }, replyDefect: "null-id" })).toEqual([
      { jsonrpc: "2.0", id: null, result: { a: 1, b: 2 } },
    ]);
    expect(defectiveReplies(failed, { override: { b: 2 } })).toEqual([failed]);
    expect(defectiveReplies(reply, { result: { c: 3 }, override: { b: 2 } })).toEqual([
      { ...reply, result: { c: 3, b: 2 } },
    ]);
  });
});
