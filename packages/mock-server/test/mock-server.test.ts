import { describe, expect, it, onTestFinished, vi } from "vitest";
import { createMockServer, type MockServer } from "../src/index.ts";
import { listen } from "../src/listen.ts";
import { reportError } from "../src/mock-server.ts";
import { createClock } from "../src/time/clock.ts";
import { callerOf } from "./caller.ts";

describe("the key", () => {
  it("is random by default, and no other key is accepted", async () => {
    const mock = createMockServer();
    expect(mock.apiKey).not.toBe(createMockServer().apiKey);
    const response = await callerOf({ ...mock, apiKey: "wrong" }).send("listQueryRuns", {});
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject({ id: 1, error: { code: -32163 } });
  });

  it("may be any text", async () => {
    const mock = createMockServer({ apiKey: "any text" });
    expect(await callerOf(mock).call("listQueryRuns", {})).toEqual({ queryRuns: [], nextCursor: null });
  });
});

describe("`execute`", () => {
  it("receives numbers that a double cannot hold as bigints and texts, as stubs and filters compare them", async () => {
    const seen: unknown[] = [];
    const mock = createMockServer({
      execute({ parameters }) {
        seen.push(parameters);
        return [{ n: "9007199254740992" }, { n: "9007199254740993" }];
      },
    });
    mock.when({ parameters: [9007199254740992n, 1] }).rows([{ n: "stub" }]);
    const post = async (method: string, params: string) => {
      const headers = { "content-type": "application/json", "x-api-key": mock.apiKey };
      // As Python writes integers and decimals.
      const body = `{"jsonrpc":"2.0","id":9007199254740993,"method":"${method}","params":[${params}]}`;
      const text = await (await mock.fetch(`${mock.url}/json-rpc`, { method: "POST", headers, body })).text();
      expect(text).toContain('"id":9007199254740993');
      return JSON.parse(text).result;
    };
    const create = async (values: string) =>
      (await post("createQueryRun", `{"sql":"s","parameters":${values}}`)).queryRun.id;
    const id = await create("[9007199254740993,12345678901234567.89,1.5]");
    await post("getQueryRun", `{"queryRunId":"${id}"}`);
    const filtered = await post(
      "getQueryRunResults",
      `{"queryRunId":"${id}","filters":[{"column":"n","eq":9007199254740993}]}`,
    );
    expect([seen, filtered.rows]).toEqual([[[9007199254740993n, "12345678901234567.89", 1.5]], [["9007199254740993"]]]);
    const stubbed = await create("[9007199254740992,1]");
    await post("getQueryRun", `{"queryRunId":"${stubbed}"}`);
    expect((await post("getQueryRunResults", `{"queryRunId":"${stubbed}"}`)).rows).toEqual([["stub"]]);
  });

  it("returns the rows of unmatched statements", async () => {
    const mock = createMockServer({ execute: ({ sql, parameters }) => [{ sql, first: (parameters as number[])[0] }] });
    const { call, create, poll } = callerOf(mock);
    const queryRunId = await create("select ?", { parameters: [7] });
    await poll(queryRunId);
    expect((await call("getQueryRunResults", { queryRunId })).rows).toEqual([["select ?", 7]]);
  });

  it("must return rows", async () => {
    // As a function of JavaScript without `return`.
    const { call, create } = callerOf(createMockServer({ execute: () => undefined as unknown as [] }));
    const { queryRun } = await call("getQueryRun", { queryRunId: await create("select") });
    expect(queryRun).toMatchObject({
      errorMessage: "rows: expected an array of objects, or a table { columns, rows }",
    });
  });

  it("fails the run by throwing", async () => {
    const mock = createMockServer({ execute: () => Promise.reject(new RangeError("too far")) });
    const { call, create } = callerOf(mock);
    const { queryRun } = await call("getQueryRun", { queryRunId: await create("select") });
    expect(queryRun).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "RangeError", errorMessage: "too far" });
  });
});

describe("a statement that no stub answers", () => {
  /** Returns the ended run of the statement. */
  async function ended(mock: MockServer) {
    const { call, create } = callerOf(mock);
    const queryRunId = await create("select name, year from cars");
    const { queryRun } = await call("getQueryRun", { queryRunId });
    return { queryRun, results: () => call("getQueryRunResults", { queryRunId }) };
  }

  it("has the rows of the example, or those of a seed", async () => {
    const example = await (await ended(createMockServer())).results();
    expect(example.columnNames).not.toEqual(["name", "year"]);
    const seeded = await (await ended(createMockServer({ seed: 3 }))).results();
    expect(seeded).toMatchObject({ columnNames: ["name", "year"], page: { totalRows: expect.any(Number) } });
    expect(await (await ended(createMockServer({ seed: 3 }))).results()).toMatchObject({ rows: seeded.rows });
  });

  it("fails in a strict mock", async () => {
    const mock = createMockServer({ strict: true });
    mock.when("select name from cars").rows([]);
    expect((await ended(mock)).queryRun).toMatchObject({
      state: "QUERY_STATE_FAILED",
      errorName: "UnexpectedStatement",
      errorMessage: expect.stringMatching(
        /^no stub matches .*; the nearest is when\("select name from cars"\), which differs in/,
      ),
    });
    mock.when(/year/).rows([]).after(0);
    expect((await ended(mock)).queryRun.state).toBe("QUERY_STATE_SUCCESS");
  });

  it("fails in a strict mock if its stub has no answer", async () => {
    const mock = createMockServer({ strict: true });
    mock.when(/year/).after(0);
    const text = "when(/year/) has no answer; add rows, fails or sequence to it";
    expect((await ended(mock)).queryRun).toMatchObject({ state: "QUERY_STATE_FAILED", errorMessage: text });
    expect(mock.history.unexpected()).toEqual([text]);
    const seeded = createMockServer({ strict: true, seed: 1 });
    seeded.when(/year/).after(0);
    expect((await ended(seeded)).queryRun.state).toBe("QUERY_STATE_SUCCESS");
  });
});

describe("a function matcher", () => {
  it("is called once for each statement, and not for calls about its run", async () => {
    for (const violates of [false, true]) {
      const mock = createMockServer({ strict: true });
      const seen: string[] = [];
      const stub = mock.when(({ sql }) => seen.push(sql) > 0).rows([{ n: 1 }]);
      if (violates) stub.violateContract("describeQuery", { columns: [] }).violateContract("getQueryRun", {});
      const { create, poll, call } = callerOf(mock);
      const queryRunId = await create("select 1");
      await poll(queryRunId);
      await poll(queryRunId);
      await call("getQueryRunResults", { queryRunId });
      expect(seen).toEqual(["select 1"]);
      const { columns } = await call("describeQuery", { sql: "select 2" });
      expect([seen, columns.length]).toEqual([["select 1", "select 2"], violates ? 0 : 1]);
    }
  });

  it("is called once for a statement that it does not match", async () => {
    const mock = createMockServer({ strict: true });
    let calls = 0;
    mock.when(() => {
      calls += 1;
      return false;
    });
    await callerOf(mock).poll(await callerOf(mock).create("select 1"));
    expect([calls, mock.history.unexpected().length]).toEqual([1, 1]);
  });

  it("that is asynchronous fails the run", async () => {
    const mock = createMockServer();
    mock.when((async () => false) as unknown as () => boolean);
    const { call, create } = callerOf(mock);
    const { queryRun } = await call("getQueryRun", { queryRunId: await create("select") });
    expect(queryRun).toMatchObject({
      state: "QUERY_STATE_FAILED",
      errorMessage: expect.stringMatching(/true or false/),
    });
  });
});

it("a run keeps the stub that it was created with", async () => {
  const mock = createMockServer();
  const first = mock.when("select 1").rows([{ n: "before" }]);
  const { create, poll, call } = callerOf(mock);
  const queryRunId = await create("select 1");
  first.rows([{ n: "later" }]).after("1h");
  mock
    .when("select 1")
    .rows([{ n: "after" }])
    .violateContract("getQueryRunResults", { rows: [] });
  expect(await poll(queryRunId)).toBe("SUCCESS");
  expect((await call("getQueryRunResults", { queryRunId })).rows).toEqual([["before"]]);
});

it("a matcher that throws fails the run", async () => {
  const mock = createMockServer();
  mock.when(() => {
    throw new RangeError("too far");
  });
  const { call, create } = callerOf(mock);
  const { queryRun } = await call("getQueryRun", { queryRunId: await create("select") });
  expect(queryRun).toMatchObject({ state: "QUERY_STATE_FAILED", errorName: "RangeError", errorMessage: "too far" });
});

describe("the contract", () => {
  it("holds for each result: one that the document does not allow is an error, and is reported", async () => {
    const errors: unknown[] = [];
    const mock = createMockServer({ onError: (error) => errors.push(error) });
    // RFC 3339 has no five-digit years.
    mock.clock.advance(Date.UTC(12_000, 0));
    expect(await callerOf(mock).failure("createQueryRun", { sql: "select" })).toMatchObject({ code: -32603 });
    expect(String(errors[0])).toMatch(/createdAt/);
  });

  it("is the document that the mock serves", async () => {
    const { openrpc, methods } = await callerOf(createMockServer()).call("rpc.discover", {});
    expect([openrpc, methods.length]).toEqual(["1.3.2", 15]);
  });
});

describe("an HTTP server", () => {
  it("listens on a free port until it is closed", async () => {
    const mock = createMockServer();
    const server = await listen(mock);
    const caller = callerOf({ ...mock, fetch: globalThis.fetch, url: server.url });
    expect(await caller.call("listQueryRuns", {})).toEqual({ queryRuns: [], nextCursor: null });
    await server.close();
    await expect(caller.call("listQueryRuns", {})).rejects.toThrow();
  });

  it("rejects if the port is in use", async () => {
    await using server = await listen(createMockServer());
    await expect(listen(createMockServer(), { port: server.port })).rejects.toMatchObject({ code: "EADDRINUSE" });
  });
});

describe("time", () => {
  it("stands still until the clock is advanced", async () => {
    const clock = createClock({ startAt: 1_000 });
    const woken: string[] = [];
    const never = new AbortController().signal;
    void clock.until(3_000, never).then(() => woken.push("late"));
    void clock.until(2_000, never).then(() => woken.push("early"));
    clock.advance("1s");
    await Promise.resolve();
    expect([clock.now(), woken]).toEqual([2_000, ["early"]]);
  });

  it("passes in real time on a ticking clock", async () => {
    const clock = createClock({ ticking: true });
    const start = clock.now();
    await clock.until(start + 20, new AbortController().signal);
    expect(clock.now()).toBeGreaterThanOrEqual(start + 20);
  });

  it.each(["soon", "-1s", -1, Number.NaN, "1 s"])("refuses %j as a length", (length) => {
    expect(() => createClock().advance(length as "1s")).toThrow(RangeError);
  });
});

it.each([
  ["getQueryRun", "mock server: getQueryRun could not be answered:"],
  [undefined, "mock server: a request could not be answered:"],
])("an error of the mock itself in %s is logged", (method, message) => {
  const log = vi.spyOn(console, "error").mockReturnValue();
  onTestFinished(() => log.mockRestore());
  const error = new Error("a defect");
  reportError(error, method);
  expect(log.mock.calls).toEqual([[message, error]]);
});
