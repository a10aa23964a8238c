import { expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

it("returns a link to the result of a run that has succeeded, in each format", async () => {
  const mock = createMockServer();
  mock.when("select slow").after("60s");
  const { call, failure, create } = callerOf(mock);
  const queryRunId = await create("select slow");
  const code = async (params: object) => (await failure("getQueryRunDownload", params))?.code;
  expect(await code({ queryRunId, format: "csv" })).toBe(-32151);
  expect(await code({ queryRunId, format: "xml" })).toBe(-32153);
  expect(await code({ queryRunId: "no-such-run", format: "csv" })).toBe(-32099);
  mock.clock.advance("60s");
  const { contentType, expiresAt } = await call("getQueryRunDownload", { queryRunId, format: "parquet" });
  expect(contentType).toBe("application/vnd.apache.parquet");
  expect(Date.parse(expiresAt)).toBe(mock.clock.now() + 15 * 60_000);
  mock.clock.advance("2h");
  expect(await code({ queryRunId, format: "csv" })).toBe(-32172);
});

it.each([
  ["csv", "text/csv; charset=utf-8; header=present"],
  ["ndjson", "application/x-ndjson"],
  ["parquet", "application/vnd.apache.parquet"],
  ["arrow", "application/vnd.apache.arrow.stream"],
])("returns a link to %s, which does not outlive the result", async (format, contentType) => {
  const mock = createMockServer({ clock: { startAt: 0 } });
  const { call, create, poll } = callerOf(mock);
  const queryRunId = await create("select 1");
  await poll(queryRunId);
  const endOfResult = mock.clock.now() + 60 * 60_000;
  mock.clock.advance("50m");
  const link = await call("getQueryRunDownload", { queryRunId, format });
  expect(link).toEqual({ url: expect.stringContaining("/results/"), expiresAt: expect.any(String), contentType });
  expect(Date.parse(link.expiresAt)).toBe(endOfResult);
});

it("names the formats that it has", async () => {
  const { failure, create } = callerOf(createMockServer());
  const error = await failure("getQueryRunDownload", { queryRunId: await create("select 1"), format: "xml" });
  expect(error.data).toMatchObject({ supported: ["csv", "ndjson", "parquet", "arrow"] });
});

it("refuses the filters and the order that a page refuses", async () => {
  const mock = createMockServer();
  mock.when("select 1").rows([{ n: 1, word: "a" }]);
  const { call, failure, create, poll } = callerOf(mock);
  const queryRunId = await create("select 1");
  await poll(queryRunId);
  const view = { queryRunId, format: "csv", sortBy: [{ column: "m", direction: "asc" }] };
  expect(await failure("getQueryRunDownload", view)).toMatchObject({
    code: -32156,
    message: 'Unknown column in "sortBy": "m"; use one of: "n", "word"',
    data: { member: "sortBy", column: "m", columns: ["n", "word"] },
  });
  const known = { ...view, sortBy: null, filters: [{ column: "N", gte: 1 }], fileName: "a/b" };
  expect(await call("getQueryRunDownload", known)).toMatchObject({ url: expect.stringContaining("/results/") });
});
