import { describe, expect, it } from "vitest";
import { createHistory } from "../../src/history/history.ts";
import { createMockServer, type MockServer } from "../../src/index.ts";
import { callText } from "../../src/wire/call.ts";
import { callerOf } from "../caller.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

async function used() {
  const mock = createMockServer({ strict: true, clock: { startAt: 1_000 } });
  mock.when("select 1").rows([]);
  const caller = callerOf(mock);
  await caller.create("SELECT 1", { tags: { env: "test" } });
  mock.clock.advance("1s");
  await caller.sendAll("getQueryRun", [{ queryRunId: "run_1" }, { queryRunId: "run_7" }]);
  return { mock, ...caller };
}

it("the text of a call has params of up to 200 characters, and cuts longer ones", () => {
  const sql = "x".repeat(200 - JSON.stringify({ sql: "" }).length);
  expect(callText("createQueryRun", { sql })).toBe(`createQueryRun({"sql":"${sql}"})`);
  expect(callText("createQueryRun", { sql: `${sql}y` })).toBe(`createQueryRun({"sql":"${sql}y"…)`);
});

describe("the history", () => {
  it("has the calls and their answers, the oldest first", async () => {
    const { calls } = (await used()).mock.history;
    expect(calls).toMatchObject([
      { method: "createQueryRun", at: 1_000, result: { queryRun: { id: "run_1" } } },
      { method: "getQueryRun", params: { queryRunId: "run_1" }, at: 2_000, result: { queryRun: { id: "run_1" } } },
      { method: "getQueryRun", params: { queryRunId: "run_7" }, at: 2_000, error: { code: -32099 } },
    ]);
    expect(calls.map((call) => "error" in call)).toEqual([false, false, true]);
  });

  it("has the answers that faults changed, and calls without an answer", async () => {
    const { mock, send } = await used();
    mock.history.clear();
    mock.fault("listQueryRuns", { error: { code: 7, message: "no" } });
    mock.fault("listQueryRuns", { on: 2, connection: "reset" });
    await send("listQueryRuns", {});
    await send("listQueryRuns", {}).catch(() => undefined);
    expect(mock.history.calls).toEqual([
      { method: "listQueryRuns", params: {}, at: 2_000, error: { code: 7, message: "no" } },
      { method: "listQueryRuns", params: {}, at: 2_000 },
    ]);
  });

  it("is of one namespace", async () => {
    const { mock } = await used();
    const other = mock.namespace();
    await callerOf(other).send("listQueryRuns", {});
    expect(other.history.calls.length).toBe(1);
    expect(mock.history.callsOf("listQueryRuns")).toEqual([]);
  });

  it("keeps the last 10,000 requests", () => {
    const history = createHistory();
    for (let n = 0; n < 10_001; n++) history.record(n, bytes('{"method":"listQueryRuns"}'));
    expect(history.calls.length).toBe(10_000);
    expect(history.calls[0]?.at).toBe(1);
  });

  it("keeps the first 10,000 unexpected calls", () => {
    const history = createHistory();
    for (let n = 0; n < 10_001; n++) history.recordUnexpected(String(n));
    expect(history.unexpected().length).toBe(10_000);
    expect(history.unexpected()[0]).toBe("0");
  });

  it("keeps requests and replies up to a number of bytes, and always the last one", () => {
    const history = createHistory(500);
    const body = bytes('{"method":"getQueryRunResults"}');
    const answer = (size: number) => ({ status: 200, headers: {}, body: [new Uint8Array(size)] });
    for (let at = 0; at < 3; at++) history.record(at, body)(answer(200));
    expect(history.calls.map(({ at }) => at)).toEqual([1, 2]);
    history.record(3, body)(answer(600));
    expect(history.calls.map(({ at }) => at)).toEqual([3]);
    const held = history.record(4, body);
    history.clear();
    for (let at = 5; at < 8; at++) history.record(at, body)(answer(200));
    held(answer(600));
    expect(history.calls.map(({ at }) => at)).toEqual([6, 7]);
  });
});

describe("calls are found by", () => {
  it("method and params among others", async () => {
    const { history } = (await used()).mock;
    expect(history.callsOf("getQueryRun").length).toBe(2);
    expect(history.callsOf("getQueryRun", { queryRunId: "run_7" }).length).toBe(1);
    expect(history.callsOf("createQueryRun", { sql: "select 1 -- all" }).length).toBe(1);
    expect(history.callsOf("createQueryRun", { sql: /select/i, tags: { env: "test" } }).length).toBe(1);
    expect(history.callsOf("createQueryRun", { tags: { env: "live" } }).length).toBe(0);
    expect(history.callsOf("createQueryRun", { parameters: [1] }).length).toBe(0);
  });
});

describe("`expectCalled`", () => {
  it("passes for calls that were made", async () => {
    const { history } = (await used()).mock;
    history.expectCalled("createQueryRun");
    history.expectCalled("getQueryRun", {}, { times: 2 });
    history.expectCalled("listQueryRuns", {}, { times: 0 });
  });

  it("refuses a param that the method does not have", async () => {
    const { history } = (await used()).mock;
    const typo = { sqls: "select 2" } as object;
    expect(() => history.expectCalled("createQueryRun", typo, { times: 0 })).toThrow(
      /^createQueryRun: unknown param sqls$/,
    );
    expect(() => history.callsOf("getQueryRun", { queryRunId: /./, id: "run_1" } as object)).toThrow(
      /unknown param id$/,
    );
  });

  it("shows the calls that were made instead", async () => {
    const { history } = (await used()).mock;
    expect(() => history.expectCalled("createQueryRun", { sql: /select 2/ })).toThrow(
      /^wrong number of calls: expected at least 1 of createQueryRun\({"sql":"\/select 2\/"}\), got 0; the calls were\n {2}createQueryRun\({"sql":"SELECT 1"/,
    );
    expect(() => history.expectCalled("getQueryRun", {}, { times: 1 })).toThrow(
      /: expected 1 of getQueryRun\({}\), got 2; the calls were/,
    );
    history.clear();
    expect(() => history.expectCalled("getQueryRun")).toThrow(/the calls were none$/);
  });
});

describe("unexpected", () => {
  it("are no calls that a test has stubbed", async () => {
    expect((await used()).mock.history.unexpected()).toEqual([]);
  });

  it("are statements without a stub, unknown methods and invalid params, until they are cleared", async () => {
    const { mock, create, poll, send } = await used();
    await poll(await create("select 2"));
    await send("getQueryRuns", {});
    await send("getQueryRun", { id: 1 });
    expect(mock.history.unexpected()).toEqual([
      expect.stringMatching(/^no stub matches "select 2"; the nearest/),
      expect.stringMatching(/^getQueryRuns\({}\) was refused: Method not found/),
      expect.stringMatching(/^getQueryRun\({"id":1}\) was refused: Invalid params/),
    ]);
    mock.history.clear();
    expect(mock.history.unexpected()).toEqual([]);
  });
});

describe("an unexpected call", () => {
  const texts = async (body: string, fault?: Parameters<MockServer["fault"]>[1]) => {
    const mock = createMockServer();
    if (fault !== undefined) mock.fault("listQueryRuns", fault);
    await callerOf(mock).send("", {}, { body });
    return mock.history.unexpected();
  };
  const listed = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] });

  it("is also an invalid request", async () => {
    expect(await texts("{")).toEqual([expect.stringMatching(/^a request was refused: Parse error/)]);
    expect(await texts("[]")).toEqual([expect.stringMatching(/^a request was refused: Invalid Request/)]);
    expect(await texts(`[1, ${listed}]`)).toEqual([expect.stringMatching(/^a request was refused: Invalid Request/)]);
  });

  it("is none that a fault answered, and each whose answer a fault replaced", async () => {
    expect(await texts(listed, { error: { code: -32602, message: "no" } })).toEqual([]);
    expect(await texts(listed.replace("{}", '{"limit":0}'), { body: "" })).toEqual([
      expect.stringMatching(/^listQueryRuns\({"limit":0}\) was refused/),
    ]);
  });

  it("is kept after its call has left the history", async () => {
    const mock = createMockServer();
    const { send, sendAll } = callerOf(mock);
    await send("getQueryRuns", {});
    for (let n = 0; n < 10_001; n++) mock.namespaces.find(mock.apiKey)?.history.record(n, "{}");
    await sendAll("listQueryRuns", [{}]);
    expect(mock.history.callsOf("listQueryRuns").length).toBe(1);
    expect(mock.history.unexpected()).toEqual([expect.stringMatching(/^getQueryRuns\({}\) was refused/)]);
  });
});
