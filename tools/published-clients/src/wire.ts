import { beforeAll, describe, expect, it } from "vitest";
import { type Caller, createCaller, envelope } from "./exchange.ts";
import { createParams, type RawCreated, runsOfManyStates, success } from "./runs.ts";
import type { Subject } from "./subject.ts";

const text = expect.any(String);
const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
const states = ["READY", "RUNNING", "STREAMING_RESULTS", "SUCCESS", "FAILED", "CANCELED"].map(
  (state) => `QUERY_STATE_${state}`,
);
const unknownRun = { queryRunId: "unknown" };

/**
 * Defines tests, on the raw JSON and HTTP, of the behavior that the published clients in JavaScript (JS), Python and R
 * rely on.
 */
export function testWire(subjectOf: () => Subject): void {
  let subject: Subject;
  let caller: Caller;
  beforeAll(() => {
    subject = subjectOf();
    caller = createCaller(subject);
  });
  const results = (queryRunId: string, more: object = {}) =>
    caller.call("getQueryRunResults", { queryRunId, format: "csv", page: { number: 1, size: 100_000 }, ...more });

  describe.concurrent("the envelope", () => {
    it("of a success has no `error` (JS)", async () => {
      const { body } = await caller.post(envelope(1, "createQueryRun", createParams(subject.statement.sql)));
      expect(Object.keys(body).sort()).toEqual(["id", "jsonrpc", "result"]);
    });

    it("has `jsonrpc` and the integer `id` of the call (Python)", async () => {
      const { body } = await caller.post(envelope(7, "createQueryRun", createParams(subject.statement.sql)));
      expect(body).toMatchObject({ jsonrpc: "2.0", id: 7 });
    });

    it("has them on errors too (Python)", async () => {
      const { body } = await caller.post(envelope(8, "getQueryRun", unknownRun));
      expect(body).toMatchObject({ jsonrpc: "2.0", id: 8, error: { code: -32099, message: text } });
      expect(body).not.toHaveProperty("result");
    });

    it("of an error comes with HTTP 200 (JS, Python, R)", async () => {
      for (const [method, params] of [
        ["getQueryRun", unknownRun],
        ["createQueryRun", {}],
        ["noMethod", {}],
      ] as const)
        expect((await caller.post(envelope(1, method, params))).status).toBe(200);
    });

    it("is application/json on success, on errors and for a wrong key (R)", async () => {
      const replies = [
        await caller.post(envelope(1, "createQueryRun", createParams(subject.statement.sql))),
        await caller.post(envelope(1, "getQueryRun", unknownRun)),
        await caller.post(envelope(1, "getQueryRun", unknownRun), { headers: { "x-api-key": "wrong" } }),
      ];
      for (const { headers } of replies) expect(headers.get("content-type")).toBe("application/json");
    });
  });

  describe.concurrent("createQueryRun", () => {
    it("answers `queryRun.id` (JS)", async () => {
      const { queryRun } = await caller.call<RawCreated>("createQueryRun", createParams(subject.statement.sql));
      expect(queryRun.id).toEqual(text);
    });

    it("answers every member of `queryRequest` (Python)", async () => {
      const { queryRequest } = await caller.call<RawCreated>("createQueryRun", createParams(subject.statement.sql));
      expect(queryRequest).toMatchObject({
        id: text,
        sqlStatementId: text,
        userId: text,
        tags: expect.any(Object),
        maxAgeMinutes: 0,
        resultTTLHours: 1,
        userSkipCache: true,
        triggeredQueryRun: true,
        queryRunId: text,
        createdAt: instant,
        updatedAt: instant,
      });
    });

    it("answers every member of `sqlStatement` (Python)", async () => {
      const { sql } = subject.statement;
      const { sqlStatement } = await caller.call<RawCreated>("createQueryRun", createParams(sql));
      const [id, userId] = [text, text];
      const times = { createdAt: instant, updatedAt: instant };
      expect(sqlStatement).toMatchObject({ id, sql, userId, tags: expect.any(Object), ...times });
      expect(sqlStatement.statementHash).toMatch(/^[0-9a-f]{64}$/);
      expect(sqlStatement).toHaveProperty("columnMetadata");
    });

    it("names the run in the request, whether it was started or reused", async () => {
      const { sql } = subject.statement;
      const first = await success(caller, sql);
      const reused = await caller.call<RawCreated>("createQueryRun", createParams(sql, 1_440));
      expect(reused.queryRequest).toMatchObject({ queryRunId: reused.queryRun.id, triggeredQueryRun: false });
      const started = await caller.call<RawCreated>("createQueryRun", createParams(sql, 0));
      expect(started.queryRequest).toMatchObject({ queryRunId: started.queryRun.id, triggeredQueryRun: true });
      expect(started.queryRun.id).not.toBe(first.id);
    });

    it("takes pretty-printed JSON (R)", async () => {
      const call = { jsonrpc: "2.0", method: "createQueryRun", params: [createParams(subject.statement.sql)], id: 1 };
      const { body } = await caller.post(JSON.stringify(call, null, 2));
      expect(body).toMatchObject({ result: { queryRun: { id: text } } });
    });
  });

  describe.concurrent("a query run", () => {
    it("has one of the six states (JS)", async () => {
      for (const { state } of await runsOfManyStates(caller, subject)) expect(states).toContain(state);
    });

    it("has what must not be null in each state (Python)", async () => {
      for (const each of await runsOfManyStates(caller, subject)) {
        const { id, sqlStatementId, state, path, dataSourceId, userId } = each;
        expect([id, sqlStatementId, state, path, dataSourceId, userId]).toEqual(Array.from({ length: 6 }, () => text));
        expect(each).toMatchObject({ tags: expect.any(Object), createdAt: instant, updatedAt: instant });
      }
    });

    it("has each of its times in SUCCESS, to the millisecond and with Z (JS, Python)", async () => {
      const { createdAt, startedAt, queryRunningEndedAt, queryStreamingEndedAt, endedAt } = await success(
        caller,
        subject.statement.sql,
      );
      const times = [createdAt, startedAt, queryRunningEndedAt, queryStreamingEndedAt, endedAt];
      expect(times).toEqual(Array.from({ length: 5 }, () => instant));
      expect(times.toSorted()).toEqual(times);
    });

    it("has `rowCount` and `totalSize`, a decimal string, in SUCCESS (R)", async () => {
      const { rowCount, totalSize } = await success(caller, subject.statement.sql);
      expect(rowCount).toBe(subject.statement.rows.length);
      expect(totalSize).toMatch(/^\d+$/);
      expect((await success(caller, subject.empty.sql)).rowCount).toBe(0);
    });

    it("has its file names as one string", async () => {
      const { fileNames, fileCount, lastFileNumber } = await success(caller, subject.statement.sql);
      expect([fileNames, fileCount, lastFileNumber]).toEqual([text, expect.any(Number), expect.any(Number)]);
    });

    it("has an error message in FAILED, and nowhere else", async () => {
      for (const { state, errorName, errorMessage } of await runsOfManyStates(caller, subject)) {
        const message = state === "QUERY_STATE_FAILED" ? text : null;
        expect([errorName, errorMessage]).toEqual([message, message]);
      }
    });

    it("is canceled in both members (JS, R: canceledQueryRun, Python: queryRun)", async () => {
      const { queryRun } = await caller.call<RawCreated>("createQueryRun", createParams(subject.endless.sql));
      const canceled = await caller.call("cancelQueryRun", { queryRunId: queryRun.id });
      const expected = expect.objectContaining({ id: queryRun.id, state: "QUERY_STATE_CANCELED" });
      expect(canceled).toMatchObject({ canceledQueryRun: expected, queryRun: expected });
    });

    it("is not redirected", async () => {
      const { id } = await success(caller, subject.statement.sql);
      expect((await caller.call("getQueryRun", { queryRunId: id })).redirectedToQueryRun ?? null).toBeNull();
      expect((await results(id)).redirectedToQueryRun).toBeNull();
    });

    it("has a statement to read, with its columns (JS, Python)", async () => {
      const { sql, columns } = subject.statement;
      const { sqlStatementId } = await success(caller, sql);
      const { sqlStatement } = await caller.call("getSqlStatement", { sqlStatementId });
      const columnMetadata = { columns, types: ["number", "string"], colTypeMap: { n: "number", word: "string" } };
      expect(sqlStatement).toMatchObject({ id: sqlStatementId, sql, columnMetadata });
    });
  });

  describe.concurrent("results", () => {
    it("have column names, and rows as arrays no longer than they are (JS)", async () => {
      const { columns, rows } = subject.statement;
      const page = await results((await success(caller, subject.statement.sql)).id);
      expect(page).toMatchObject({ columnNames: columns, columnTypes: ["number", "string"], rows });
    });

    it("have the whole run and all four members of the page (Python)", async () => {
      const finished = await success(caller, subject.statement.sql);
      expect(await results(finished.id)).toMatchObject({
        originalQueryRun: finished,
        page: { currentPageNumber: 1, currentPageSize: 100_000, totalRows: 3, totalPages: 1 },
        sql: subject.statement.sql,
        format: "csv",
      });
    });

    it("of no rows have an empty page for a page size of 0 rows (R)", async () => {
      const { id, rowCount } = await success(caller, subject.empty.sql);
      const page = await results(id, { page: { number: 1, size: rowCount } });
      expect(page).toMatchObject({ columnNames: ["n"], rows: [], page: { totalRows: 0, totalPages: 0 } });
    });

    it("come whole for a page size of more than 100,000 rows (R)", async () => {
      const { id, rowCount } = await success(caller, subject.large.sql);
      expect(rowCount).toBe(subject.large.rowCount);
      const page = await results(id, { page: { number: 1, size: rowCount } });
      expect(page.rows).toHaveLength(subject.large.rowCount);
    });

    it("take filters and order that are null or empty (Python)", async () => {
      const { id } = await success(caller, subject.statement.sql);
      expect((await results(id, { filters: null, sortBy: null })).rows).toHaveLength(3);
      expect((await results(id, { filters: [], sortBy: [] })).rows).toHaveLength(3);
    });

    it("take a filter with each comparison, the unused ones null, and `in_` for `in` (Python)", async () => {
      const { id } = await success(caller, subject.statement.sql);
      const unused = { eq: null, neq: null, gt: null, gte: null, lt: null, lte: null, like: null, notIn: null };
      const [column] = subject.statement.columns;
      const page = await results(id, { filters: [{ column, ...unused, in_: [2, 3] }] });
      expect(page.rows).toEqual(subject.statement.rows.slice(1));
    });

    it("are objects with lower-case keys in the format json", async () => {
      const { columns, rows, sql } = subject.statement;
      const page = await results((await success(caller, sql)).id, { format: "json" });
      expect(page.rows).toEqual(rows.map((row) => Object.fromEntries(columns.map((name, at) => [name, row[at]]))));
    });
  });

  describe.concurrent("HTTP", () => {
    it("is 401 or 403 for a wrong or a missing key (JS, Python)", async () => {
      const call = envelope(1, "createQueryRun", createParams(subject.statement.sql));
      const wrong = await caller.post(call, { headers: { "x-api-key": "wrong" } });
      const missing = await caller.post(call, { headers: { "x-api-key": "" } });
      expect([401, 403]).toContain(wrong.status);
      expect([401, 403]).toContain(missing.status);
    });

    it("takes the path `//json-rpc`, which a base URL with a trailing slash gives", async () => {
      const { status, body } = await caller.post(envelope(1, "getQueryRun", unknownRun), { path: "//json-rpc" });
      expect([status, body.error]).toEqual([200, expect.objectContaining({ code: -32099 })]);
    });

    it("lets a browser send x-api-key from another origin", async () => {
      const origin = "https://dashboard.example";
      const requested = { "access-control-request-method": "POST", "access-control-request-headers": "x-api-key" };
      const preflight = await fetch(`${subject.url}/json-rpc`, {
        method: "OPTIONS",
        headers: { origin, ...requested },
      });
      expect(preflight.ok).toBe(true);
      expect(["*", origin]).toContain(preflight.headers.get("access-control-allow-origin"));
      expect(preflight.headers.get("access-control-allow-headers")).toMatch(/\bx-api-key\b/i);
      expect(preflight.headers.get("access-control-allow-headers")).toMatch(/\bcontent-type\b/i);
      const reply = await caller.post(envelope(1, "getQueryRun", unknownRun), { headers: { origin } });
      expect(["*", origin]).toContain(reply.headers.get("access-control-allow-origin"));
    });

    it("takes no compressed answer for granted, nor a key in a header of another case", async () => {
      const reply = await fetch(`${subject.url}/json-rpc`, {
        method: "POST",
        headers: { "Content-Type": "application/json", "X-API-KEY": subject.apiKey, "accept-encoding": "identity" },
        body: envelope(1, "getQueryRun", unknownRun),
      });
      expect([reply.status, reply.headers.get("content-encoding")]).toEqual([200, null]);
    });
  });
}
