import type { GetQueryRunResultsResult } from "@quern/protocol/types";
import { afterAll, beforeAll, expect, it } from "vitest";
import { oneProcessOfFile } from "../../../duckdb/test/executor/one-process.ts";
import { startServer, type TestServer } from "../fixture.ts";

const engine = oneProcessOfFile();
let server: TestServer;
let queryRunId: string;
beforeAll(async () => {
  server = await startServer({ kind: engine() });
  queryRunId = (await server.run("select range as n, 'row ' || range as name, range % 10 as digit from range(200)")).id;
});
afterAll(() => server[Symbol.asyncDispose]());

const results = (...filters: readonly object[]) =>
  server.call<GetQueryRunResultsResult>("getQueryRunResults", { queryRunId, filters });
const ends = {
  or: [
    { column: "n", lt: 2 },
    { column: "NAME", like: "row 19_", gt: "row 197" },
  ],
};

it("keeps the rows that meet one condition of each group", async () => {
  const sortBy = [{ column: "n", direction: "desc" }] as const;
  const page = { number: 2, size: 2 };
  const second = await server.results({ queryRunId, filters: [ends], sortBy, page, format: "json" });
  expect(second.rows).toMatchObject([{ n: 1 }, { n: 0 }]);
  expect(second.page).toMatchObject({ totalRows: 4, totalPages: 2 });
  const { rows } = await results(ends, { column: "digit", neq: 8 }, { or: [{ column: "n", gt: 0 }] });
  expect(rows?.map((row) => (Array.isArray(row) ? row[0] : undefined))).toEqual([1, 199]);
});

it("takes 64 conditions, those of groups included", async () => {
  const lists = { column: "n", in: [1, "2", null] };
  const group = { or: [lists, { column: "n", eq: 7 }] };
  const most = Array.from({ length: 32 }, () => group);
  expect((await results(...most)).page?.totalRows).toBe(3);
  await expect(results(...most, ends)).rejects.toMatchObject({
    code: -32602,
    data: { issues: [{ pointer: "/params/0/filters", received: "66 conditions" }] },
  });
});

it.each<[string, object, string]>([
  ["a column that is no text", { or: [{ column: 1, eq: 1 }] }, "/or/0/column"],
  ["a missing column", { or: [{ column: "n", eq: 1 }, { eq: 1 }] }, "/or/1/column"],
  ["an unknown comparison", { or: [{ column: "n", equals: 1 }] }, "/or/0/equals"],
  ["no condition", { or: [] }, "/or"],
  ["null", { or: null }, "/or"],
  ["a group inside", { or: [{ or: [{ column: "n", eq: 1 }] }] }, "/or/0/or"],
  ["another member", { or: [{ column: "n", eq: 1 }], and: 1 }, "/and"],
  ["a column beside", { or: [{ column: "n", eq: 1 }], column: "n" }, "/or"],
  ["no comparison", { or: [{ column: "n" }] }, "/or/0"],
])("refuses a group with %s at that member", async (_, group, pointer) => {
  await expect(results({ column: "n", eq: 1 }, group)).rejects.toMatchObject({
    code: -32602,
    data: { issues: expect.arrayContaining([expect.objectContaining({ pointer: `/params/0/filters/1${pointer}` })]) },
  });
});

it("names an unknown column of a group", async () => {
  await expect(results({ or: [{ column: "nope", eq: 1 }] })).rejects.toMatchObject({
    code: -32156,
    data: { column: "nope", columns: ["n", "name", "digit"] },
  });
});
