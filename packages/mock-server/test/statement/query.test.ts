import { expect, it } from "vitest";
import { defaultSource, describedQuery, queryOf } from "../../src/statement/query.ts";

it("a statement has the members of its call, or defaults", () => {
  expect(queryOf({ sql: "a" })).toEqual({ sql: "a", parameters: null, tags: {}, dataSource: "samples" });
  const call = { sql: "a", parameters: { b: 1 }, tags: { c: "d" }, dataSource: "lake" };
  expect(queryOf({ ...call, waitSeconds: 5 } as typeof call)).toEqual(call);
  expect(queryOf({ sql: "a", parameters: [1, null], tags: undefined, dataSource: undefined })).toEqual({
    sql: "a",
    parameters: [1, null],
    tags: {},
    dataSource: "samples",
  });
  expect(defaultSource).toEqual({ dataSource: "samples", dataProvider: "quern" });
});

it("a statement has copies, so that a function of a test cannot change the recorded call", () => {
  const call = { sql: "a", parameters: [1], tags: { c: "d" } };
  const query = queryOf(call);
  expect(query.parameters).not.toBe(call.parameters);
  expect(query.tags).not.toBe(call.tags);
});

it("a described statement says that it is", () => {
  expect(describedQuery({ sql: "a", dataSource: "lake" })).toEqual({
    sql: "a",
    parameters: null,
    tags: {},
    dataSource: "lake",
    describes: true,
  });
});
