import { expect, it } from "vitest";
import { readDocument } from "../../src/index.ts";
import { createAnswerEquality } from "../../src/server/answer-equality.ts";
import { createContract } from "../../src/server/document.ts";

const agree = createAnswerEquality(createContract(await readDocument()));

it("ignores differences that the contract leaves open", () => {
  expect(agree({ sql: "a", ours: 1 }, { sql: "a", ours: 2 })).toBe(true);
  expect(agree({ sql: "a", rowCount: 1 }, { sql: "a", rowCount: null })).toBe(true);
  expect(agree({ sql: "a" }, { rowCount: 1 })).toBe(true);
  expect(agree({ methods: 1 }, { methods: 2 })).toBe(true);
  expect(agree({ queryRun: { state: "QUERY_STATE_READY" } }, { queryRun: { state: "PLANNING" } })).toBe(true);
});

it("finds differences of members that the contract names", () => {
  expect(agree({ sql: "a" }, { sql: "b" })).toBe(false);
  expect(agree({ rows: [[1], [2]] }, { rows: [[1]] })).toBe(false);
  expect(agree({ rows: [[1]] }, { rows: [[2]] })).toBe(false);
  expect(agree({ state: "QUERY_STATE_READY" }, { state: "QUERY_STATE_SUCCESS" })).toBe(false);
  expect(agree({ state: "QUERY_STATE_CANCELED" }, { state: "QUERY_STATE_SUCCESS" })).toBe(false);
});
