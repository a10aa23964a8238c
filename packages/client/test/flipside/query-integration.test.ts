import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createQueryIntegration } from "../../src/flipside/query-integration.ts";
import { ApiError, QueryRunExecutionError, QueryRunTimeoutError } from "../../src/flipside.ts";
import { createClient } from "../../src/index.ts";

type Results = Readonly<Record<string, (params: Readonly<Record<string, unknown>>) => object>>;

/** Creates the methods on a service that answers each method with a result or an error; others get no answer. */
function scripted(results: Results) {
  const calls: [method: string, params: Readonly<Record<string, unknown>>][] = [];
  const fetch = async (_: unknown, { body, signal }: RequestInit = {}): Promise<Response> => {
    const parsed = JSON.parse(String(body));
    const replies = [parsed].flat().map(({ id, method, params: [params] }) => {
      calls.push([method, params]);
      const answer = results[method]?.(params);
      return answer && { jsonrpc: "2.0", id, ...("code" in answer ? { error: answer } : { result: answer }) };
    });
    if (replies.includes(undefined))
      await new Promise((_, reject) => signal?.addEventListener("abort", () => reject(signal.reason)));
    return Response.json(Array.isArray(parsed) ? replies : replies[0]);
  };
  const client = createClient({ url: "http://127.0.0.1:9", apiKey: "k", fetch: fetch as typeof globalThis.fetch });
  return { query: createQueryIntegration(client), calls };
}

const state = "QUERY_STATE_SUCCESS";
const run = { id: "a", state, errorMessage: null };
const refused = { code: -32_099, message: "No such run", data: { queryRunId: "a" } };
const created = () => ({ queryRequest: { id: "r", queryRunId: "a" }, queryRun: run });

describe("the methods of single runs", () => {
  it("return the run that another one is redirected to, or else the run", async () => {
    const redirected = { ...run, id: "b" };
    const answers = [
      { queryRun: run, redirectedToQueryRun: redirected },
      { queryRun: run, redirectedToQueryRun: null },
    ];
    const { query, calls } = scripted({ getQueryRun: () => answers.shift() ?? { queryRun: run } });
    const found = [];
    for (let each = 0; each < 3; each++) found.push(await query.getQueryRun({ queryRunId: "a" }));
    expect(found).toEqual([redirected, run, run]);
    expect(calls).toEqual(Array(3).fill(["getQueryRun", { queryRunId: "a" }]));
  });

  it("return the members that the service names", async () => {
    const { query, calls } = scripted({
      createQueryRun: created,
      getQueryRun: () => ({ queryRun: { ...run, totalSize: "7" } }),
      getSqlStatement: () => ({ sqlStatement: { id: "s", sql: "select 1" } }),
      cancelQueryRun: () => ({ canceledQueryRun: { id: "a", state: "QUERY_STATE_CANCELED" } }),
    });
    expect(await query.createQueryRun({ sql: "select 1" })).toEqual({ ...run, totalSize: "7" });
    expect(await query.getSqlStatement({ sqlStatementId: "s" })).toEqual({ id: "s", sql: "select 1" });
    expect(await query.cancelQueryRun({ queryRunId: "a" })).toEqual({ id: "a", state: "QUERY_STATE_CANCELED" });
    expect(calls.map(([method]) => method)).toEqual([
      "createQueryRun",
      "getQueryRun",
      "getSqlStatement",
      "cancelQueryRun",
    ]);
    expect(calls[2]?.[1]).toEqual({ sqlStatementId: "s" });
    expect(calls[3]?.[1]).toEqual({ queryRunId: "a" });
  });

  it("throw the errors of the old client", async () => {
    const refuse = () => refused;
    const { query } = scripted({
      createQueryRun: refuse,
      getQueryRun: refuse,
      getSqlStatement: refuse,
      cancelQueryRun: refuse,
    });
    const failures = [
      query.createQueryRun({ sql: "a" }),
      query.getQueryRun({ queryRunId: "a" }),
      query.getSqlStatement({ sqlStatementId: "a" }),
      query.cancelQueryRun({ queryRunId: "a" }),
    ];
    for (const failure of await Promise.allSettled(failures))
      expect(failure).toMatchObject({ status: "rejected", reason: expect.any(ApiError) });
  });
});

it("a query that failed is returned with its error, and not thrown", async () => {
  const failed = { ...run, state: "QUERY_STATE_FAILED", errorName: "BinderError", errorMessage: "no column" };
  const { query } = scripted({
    createQueryRun: () => ({ queryRequest: { id: "r", queryRunId: "a" }, queryRun: failed }),
    getQueryRun: () => ({ queryRun: failed }),
  });
  for (const result of [await query.run({ sql: "a" }), await query.getQueryResults({ queryRunId: "a" })]) {
    expect(result.error).toBeInstanceOf(QueryRunExecutionError);
    expect(result).toMatchObject({
      queryId: "a",
      rows: null,
      error: { message: expect.stringContaining("no column") },
    });
  }
});

describe("the time limit", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  type Methods = ReturnType<typeof createQueryIntegration>;
  const minutes = 60_000;
  it.each<[string, number, (query: Methods) => Promise<unknown>]>([
    ["run", 20 * minutes, (query) => query.run({ sql: "a" })],
    ["run with a limit of 0", 20 * minutes, (query) => query.run({ sql: "a", timeoutMinutes: 0 })],
    ["run with a limit of 2", 2 * minutes, (query) => query.run({ sql: "a", timeoutMinutes: 2 })],
    ["getQueryResults", 20 * minutes, (query) => query.getQueryResults({ queryRunId: "a" })],
  ])("of %s is %i ms", async (_, limitMs, start) => {
    const running = { ...run, state: "QUERY_STATE_RUNNING" };
    const { query } = scripted({
      createQueryRun: () => ({ ...created(), queryRun: running }),
      getQueryRun: () => ({ queryRun: running }),
      cancelQueryRun: () => ({ canceledQueryRun: run }),
    });
    let result: unknown;
    void start(query).then((answer) => {
      result = answer;
    });
    await vi.advanceTimersByTimeAsync(limitMs - 1);
    expect(result).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(result).toMatchObject({ rows: null, error: expect.any(QueryRunTimeoutError) });
  });

  it.each([
    [undefined, 20 * minutes],
    [3, 3 * minutes],
  ])("of createQueryRun with timeoutMinutes %j is %i ms", async (timeoutMinutes, limitMs) => {
    const { query } = scripted({
      createQueryRun: () => ({ code: -32_171, message: "Too many unfinished query runs" }),
    });
    let error: unknown;
    query.createQueryRun({ sql: "a", timeoutMinutes }).catch((reason: unknown) => {
      error = reason;
    });
    await vi.advanceTimersByTimeAsync(limitMs - 1);
    expect(error).toBeUndefined();
    await vi.advanceTimersByTimeAsync(1);
    expect(error).toBeInstanceOf(QueryRunTimeoutError);
  });
});
