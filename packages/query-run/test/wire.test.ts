import { describe, expect, it } from "vitest";
import type { RunFailure } from "../src/record.ts";
import { transition } from "../src/transition.ts";
import { timestamp, toQueryRequest, toQueryRun, toSqlStatement } from "../src/wire.ts";
import { after, ready, result, succeeded, t0 } from "./fixture.ts";

describe("a run on the wire", () => {
  it("has every member, also before it starts", () => {
    expect(toQueryRun(ready(), t0)).toEqual({
      id: "run_1",
      sqlStatementId: "st_1",
      state: "QUERY_STATE_READY",
      path: "2023/04/05/20/run_1",
      fileCount: null,
      lastFileNumber: null,
      fileNames: null,
      errorName: null,
      errorMessage: null,
      errorData: null,
      dataSourceQueryId: null,
      dataSourceSessionId: null,
      startedAt: null,
      queryRunningEndedAt: null,
      queryStreamingEndedAt: null,
      endedAt: null,
      rowCount: null,
      totalSize: null,
      tags: { source: "test" },
      dataSourceId: "samples",
      userId: "user_1",
      createdAt: "2023-04-05T20:21:22.123Z",
      updatedAt: "2023-04-05T20:21:22.123Z",
      archivedAt: null,
      statementTimeoutSeconds: 1200,
    });
  });

  it("says why it waits, until it starts", () => {
    expect(toQueryRun(ready(), t0, { ofOthers: "no space" })).toHaveProperty("waitReason", "no space");
    expect(toQueryRun(after(ready(), { type: "claimed" }), t0, { ofOthers: "no space" })).not.toHaveProperty(
      "waitReason",
    );
  });

  it("has the result of a success: five timestamps, rows, and bytes as a decimal string", () => {
    expect(toQueryRun({ ...succeeded(), engineQueryId: "q1" }, t0)).toMatchObject({
      state: "QUERY_STATE_SUCCESS",
      startedAt: "2023-04-05T20:21:23.123Z",
      queryRunningEndedAt: "2023-04-05T20:21:24.123Z",
      queryStreamingEndedAt: "2023-04-05T20:21:25.123Z",
      endedAt: "2023-04-05T20:21:25.123Z",
      rowCount: 3,
      totalSize: "512",
      fileCount: 1,
      lastFileNumber: 1,
      fileNames: "run_1.parquet",
      dataSourceQueryId: "q1",
      columnEngineTypes: result.columns.map(({ engineType }) => engineType),
      errorMessage: null,
    });
  });

  it("is archived from its expiry on, also before its file is removed", () => {
    const run = succeeded();
    const expiresAt = run.expiresAt ?? 0;
    const archivedAt = new Date(expiresAt).toISOString();
    expect(toQueryRun(run, expiresAt - 1).archivedAt).toBeNull();
    expect(toQueryRun(run, expiresAt).archivedAt).toBe(archivedAt);
    const removed = transition(run, { type: "archived" }, expiresAt + 5);
    expect(removed.accepted && toQueryRun(removed.run, expiresAt + 9).archivedAt).toBe(archivedAt);
  });

  it("has an error message exactly when it failed", () => {
    const failure: RunFailure = { name: "BinderError", message: "no such column", data: { category: "USER" } };
    expect(toQueryRun(after(ready(), { type: "failed", attempt: 0, failure }), t0)).toMatchObject({
      errorName: "BinderError",
      errorMessage: "no such column",
      errorData: { category: "USER" },
    });
    expect(toQueryRun(after(ready(), { type: "canceled" }), t0).errorMessage).toBeNull();
  });
});

const request = {
  id: "req_1",
  queryRunId: "run_1",
  sqlStatementId: "st_1",
  userId: "user_1",
  tags: { own: "yes" },
  maxAgeMinutes: 0,
  resultTTLHours: 1,
  triggeredQueryRun: true,
  idempotencyKey: null,
  createdAt: t0,
  updatedAt: t0,
};

it("a request reports whether it skipped existing results", () => {
  expect(toQueryRequest({ ...request, updatedAt: t0 + 1 })).toEqual({
    ...request,
    userSkipCache: true,
    createdAt: "2023-04-05T20:21:22.123Z",
    updatedAt: "2023-04-05T20:21:22.124Z",
  });
  expect(toQueryRequest({ ...request, maxAgeMinutes: 1 }).userSkipCache).toBe(false);
});

it("a statement has the members of its request and run, also with a column named __proto__", () => {
  const statement = { id: "st_1", sql: "select 1", statementHash: "0" };
  const ended = { ...ready(), userId: "another", tags: {}, result, endedAt: t0 + 5 };
  const { columnMetadata, ...reported } = toSqlStatement(statement, request, ended);
  expect(JSON.stringify(columnMetadata)).toBe(
    '{"types":["number","string"],"columns":["n","__proto__"],"colTypeMap":{"n":"number","__proto__":"string"}}',
  );
  const [createdAt, updatedAt] = ["2023-04-05T20:21:22.123Z", "2023-04-05T20:21:22.128Z"];
  expect(reported).toEqual({ ...statement, userId: "user_1", tags: { own: "yes" }, createdAt, updatedAt });
  expect(toSqlStatement(statement, request, ready())).toMatchObject({ columnMetadata: null, updatedAt: createdAt });
});

it("a timestamp has milliseconds, also when it is repeated or the first one", () => {
  const times = [1, 0, 0, 1].map((ms) => timestamp(ms));
  expect(times.map((text) => text.slice(-5))).toEqual([".001Z", ".000Z", ".000Z", ".001Z"]);
});
