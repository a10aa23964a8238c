import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { inspect } from "node:util";
import { createServer } from "@quern/server";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { recordsOf } from "../src/flipside/result-rows.ts";
import {
  ApiError,
  Flipside,
  type Query,
  QueryRunExecutionError,
  QueryRunRateLimitError,
  QueryRunTimeoutError,
  ServerError,
  UnexpectedSDKError,
  UserError,
} from "../src/flipside.ts";
import { each, error, startServer } from "./support/scripted-server.ts";
import { type ServiceOptions, service } from "./support/scripted-service.ts";

const rowCount = 100_001;
const large = { sql: `select range as n from range(${rowCount})`, maxAgeMinutes: 60 };

describe("Flipside on a service", () => {
  let dataDir: string;
  let server: Awaited<ReturnType<typeof createServer>>;
  let flipside: Flipside;
  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), "quern-flipside-"));
    server = await createServer({ dataDir, apiKey: "a key of the tests" });
    flipside = new Flipside("a key of the tests", (await server.listen()).url);
  });
  afterAll(async () => {
    await server.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  it("returns a whole result of more than 100,000 rows", async () => {
    const result = await flipside.query.run(large);
    expect(result.rows?.length).toBe(rowCount);
    expect(result.rows?.at(-1)).toEqual([rowCount - 1]);
    expect(result.records?.at(-1)).toEqual({ n: rowCount - 1 });
    expect(result.runStats).toMatchObject({ recordCount: rowCount, startedAt: expect.any(Date) });
    expect(result).toMatchObject({
      status: "finished",
      columns: ["n"],
      columnTypes: ["number"],
      page: { currentPageNumber: 1, currentPageSize: rowCount, totalRows: rowCount, totalPages: 1 },
      error: null,
    });
    const again = await flipside.query.getQueryResults({ queryRunId: result.queryId ?? "" });
    expect(again).toEqual(result);
  });

  it("returns the requested page and the number of pages", async () => {
    const first = await flipside.query.run({ ...large, pageSize: 3 });
    expect(first).toMatchObject({ rows: [[0], [1], [2]], page: { currentPageNumber: 1, totalPages: 33_334 } });
    const fourth = await flipside.query.run({ ...large, pageSize: 3, pageNumber: 4 });
    expect(fourth).toMatchObject({ queryId: first.queryId, rows: [[9], [10], [11]] });
    const last = await flipside.query.getQueryResults({ queryRunId: first.queryId ?? "", pageNumber: 2 });
    expect(last).toMatchObject({
      rows: [[100_000]],
      page: { currentPageNumber: 2, currentPageSize: 100_000, totalRows: rowCount, totalPages: 2 },
    });
    const one = await flipside.query.getQueryResults({ queryRunId: first.queryId ?? "", pageSize: 1 });
    expect(one).toMatchObject({ rows: [[0]], page: { currentPageSize: 1, totalPages: rowCount } });
    const none = await flipside.query.getQueryResults({ queryRunId: first.queryId ?? "", pageSize: 0 });
    expect(none).toMatchObject({ rows: [], page: { totalRows: rowCount, totalPages: 0 } });
  });

  it("filters and sorts a result, and pages the remaining rows", async () => {
    const { queryId } = await flipside.query.run({ ...large, pageSize: 1 });
    const request = {
      queryRunId: queryId ?? "",
      filters: [{ column: "n", lt: 10 }],
      sortBy: [{ column: "n", direction: "desc" as const }],
    };
    const whole = await flipside.query.getQueryResults(request);
    expect(whole.rows).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0].map((n) => [n]));
    const second = await flipside.query.getQueryResults({ ...request, pageNumber: 2, pageSize: 4 });
    expect(second).toMatchObject({ rows: [[5], [4], [3], [2]], page: { totalRows: 10, totalPages: 3 } });
  });

  it("loses no column and no digit", async () => {
    const sql = `select 1 as a, 2 as a, 3 as "__proto__", 9007199254740993 as "1"`;
    const { columns, rows, records } = await flipside.query.run({ sql });
    expect(columns).toEqual(["a", "a", "__proto__", "1"]);
    expect(rows).toEqual([[1, 2, 3, "9007199254740993"]]);
    expect(Object.entries(records?.[0] ?? {})).toEqual([
      ["1", "9007199254740993"],
      ["a", 1],
      ["a_2", 2],
      ["__proto__", 3],
    ]);
  });

  it("fills a row that is too short with null", () => {
    expect(recordsOf(["a", "B", "b"], [[1]])).toEqual([{ a: 1, b: null, b_2: null }]);
  });

  it("returns the reason and the run of a failed query", async () => {
    const result = await flipside.query.run({ sql: "select colour from (select 1 as color)" });
    expect(result).toMatchObject({ queryId: expect.any(String), status: null, rows: null, records: null });
    expect(result.error).toBeInstanceOf(QueryRunExecutionError);
    expect(result.error).toMatchObject({ name: "BinderError", queryRunId: result.queryId, cause: { kind: "failed" } });
  });

  it("withdraws a query after its time limit, and returns its id", async () => {
    const sql = "select count(*) from range(1000000000) a, range(1000000000) b";
    const { queryId, error } = await flipside.query.run({ sql, timeoutMinutes: 0.02 });
    expect(error).toBeInstanceOf(QueryRunTimeoutError);
    expect(error?.message).toContain("1200 ms");
    const state = async () => (await flipside.query.getQueryRun({ queryRunId: queryId ?? "" })).state;
    await expect.poll(state, { timeout: 10_000 }).toBe("QUERY_STATE_CANCELED");
  });

  it("distinguishes a canceled query from a failed one", async () => {
    const run = await flipside.query.createQueryRun({
      sql: "select count(*) from range(1000000000) a, range(1000000001) b",
    });
    const canceled = await flipside.query.cancelQueryRun({ queryRunId: run.id });
    expect(canceled).toMatchObject({ id: run.id, state: "QUERY_STATE_CANCELED" });
    const { error } = await flipside.query.getQueryResults({ queryRunId: run.id });
    expect(error).toMatchObject({ errorType: "QUERY_RUN_EXECUTION_ERROR", cause: { kind: "canceled" } });
  });

  it("reads a statement back", async () => {
    const { sqlStatementId } = await flipside.query.createQueryRun(large);
    expect(await flipside.query.getSqlStatement({ sqlStatementId })).toMatchObject({ sql: large.sql });
  });

  it("returns the error of an unknown run in a result set, and throws it from the other methods", async () => {
    const { error } = await flipside.query.getQueryResults({ queryRunId: "none" });
    expect(error).toBeInstanceOf(ApiError);
    expect(error).toMatchObject({ errorType: "API_ERROR" });
    expect(error).toMatchObject({ name: "QueryRunNotFound", code: -32099, data: { queryRunId: "none" } });
    await expect(flipside.query.getQueryRun({ queryRunId: "none" })).rejects.toBeInstanceOf(ApiError);
  });
});

async function start(options: ServiceOptions = {}) {
  const server = await startServer(service({ polls: 0, ...options }));
  return Object.assign(server, { flipside: new Flipside("k", `${server.url}/`) });
}

describe("Flipside", () => {
  it("creates a run with the options of the query", async () => {
    await using server = await start();
    await server.flipside.query.run({ sql: "a" });
    await server.flipside.query.run({ sql: "b", cached: false, maxAgeMinutes: 90, ttlMinutes: 121, sdkPackage: "py" });
    await server.flipside.query.run({ sql: "c", maxAgeMinutes: 90, dataSource: "s", dataProvider: "p" });
    const creates = server.exchanges.flatMap(({ calls }) =>
      calls.flatMap(({ method, params }) => (method === "createQueryRun" ? params : [])),
    );
    const tags = { sdk_language: "javascript", sdk_package: "js", sdk_version: null };
    expect(creates).toMatchObject([
      { sql: "a", maxAgeMinutes: 0, resultTTLHours: 1, tags },
      { sql: "b", maxAgeMinutes: 0, resultTTLHours: 3, tags: { ...tags, sdk_package: "py" } },
      { sql: "c", maxAgeMinutes: 90, resultTTLHours: 2, dataSource: "s", dataProvider: "p" },
    ]);
  });

  it("treats null, empty and zero options as missing", async () => {
    await using server = await start();
    const nothing = {
      cached: null,
      timeoutMinutes: 0,
      pageSize: null,
      pageNumber: NaN,
      dataSource: "",
      dataProvider: null,
    };
    const query = { sql: "a", maxAgeMinutes: 30, ttlMinutes: null, sdkPackage: "", sdkVersion: "", ...nothing };
    const result = await server.flipside.query.run(query as unknown as Query); // As programs in JavaScript do.
    expect(result).toMatchObject({ error: null, rows: [[1], [2], [3]], page: { totalPages: 1 } });
    const [created] = server.exchanges.flatMap(({ calls }) => calls.flatMap(({ params }) => params));
    expect(created).toMatchObject({
      maxAgeMinutes: 30,
      resultTTLHours: 1,
      tags: { sdk_package: "js", sdk_version: null },
    });
    expect(Object.keys(created ?? {})).not.toEqual(expect.arrayContaining([expect.stringMatching(/^data/)]));
    expect((await server.flipside.query.run({ sql: "b", pageSize: 0 })).rows).toHaveLength(3);
  });

  it("works with a service without extensions", async () => {
    await using server = await start({ strict: true });
    const whole = await server.flipside.query.run({ sql: "a" });
    expect(whole).toMatchObject({ queryId: "a", rows: [[1], [2], [3]], runStats: null, page: { totalRows: 3 } });
    const page = await server.flipside.query.run({ sql: "a", pageNumber: 2, pageSize: 2 });
    expect(page).toMatchObject({ rows: [[3]], page: { currentPageNumber: 2, totalRows: 3, totalPages: 2 } });
  });

  it("treats a page number below 1 as 1", async () => {
    await using server = await start({});
    const page = await server.flipside.query.run({ sql: "a", pageNumber: 0, pageSize: 2 });
    expect(page).toMatchObject({ rows: [[1], [2]], page: { currentPageNumber: 1, totalRows: 3 } });
  });

  it("returns a complete page that the service sends in parts", async () => {
    const rows = Array.from({ length: 30 }, (_, n) => [n]);
    await using server = await start({ rows, maxPageSize: 4 });
    const page = await server.flipside.query.run({ sql: "a", pageNumber: 2, pageSize: 13 });
    expect(page.rows).toEqual(rows.slice(13, 26));
    expect((await server.flipside.query.run({ sql: "b", pageSize: 13 })).rows).toEqual(rows.slice(0, 13));
  });

  it("retries at the limit of unfinished runs until the time limit", async () => {
    await using server = await start({ busy: Infinity });
    const { queryId, error } = await server.flipside.query.run({ sql: "a", timeoutMinutes: 0.001 });
    expect(queryId).toBe(null);
    expect(error).toBeInstanceOf(QueryRunTimeoutError);
    const created = server.flipside.query.createQueryRun({ sql: "a", timeoutMinutes: 0.001 });
    await expect(created).rejects.toBeInstanceOf(QueryRunTimeoutError);
  });

  it("returns a rate limit error", async () => {
    await using server = await startServer(each(() => error(-32029, "Too many requests", { retryAfterMs: 1 })));
    const result = await new Flipside("k", server.url).query.run({ sql: "a" });
    expect(result.error).toBeInstanceOf(QueryRunRateLimitError);
    expect(result.error).toMatchObject({ errorType: "QUERY_RUN_RATE_LIMIT_ERROR", data: { retryAfterMs: 1 } });
  });

  it.each([
    ["a refused key", { status: 401, body: "" }, UserError, /^Unauthorized: Invalid API Key\b/],
    ["a missing door", { status: 404, body: "" }, UserError, /404/],
    ["a breakdown", { status: 500, body: "" }, ServerError, /500/],
    ["what is no answer", { body: "<html>" }, UnexpectedSDKError, /not a JSON-RPC reply/],
  ])("throws %s without the key", async (_, answer, Class, message) => {
    await using server = await startServer(() => answer);
    const { query } = new Flipside("a secret key", server.url);
    const thrown = await query.run({ sql: "a" }).catch((error: unknown) => error);
    expect(thrown).toBeInstanceOf(Class);
    expect(thrown).toMatchObject({ message: expect.stringMatching(message) });
    expect(inspect(thrown, { depth: 9, showHidden: true }) + JSON.stringify(thrown)).not.toContain("secret");
  });
});
