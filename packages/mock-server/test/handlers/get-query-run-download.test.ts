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
