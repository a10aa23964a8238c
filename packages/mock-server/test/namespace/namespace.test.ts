import { describe, expect, it } from "vitest";
import { createLedger, createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

describe("a namespace", () => {
  it("has its own runs, stubs, time and faults, with interleaved calls of others", async () => {
    const mock = createMockServer({ clock: { startAt: 0 } });
    const all = Array.from({ length: 2_000 }, (_, n) => {
      const namespace = mock.namespace();
      namespace.when("select").rows([{ n }]);
      namespace.clock.advance(n);
      if (n % 2 === 1) namespace.fault("listQueryRuns", { status: 502, body: "" });
      return namespace;
    });
    const seen = await Promise.all(
      all.map(async (namespace) => {
        const { call, send } = callerOf(namespace);
        const { queryRun } = await call("createQueryRun", { sql: "select", waitSeconds: 1 });
        const { rows } = await call("getQueryRunResults", { queryRunId: queryRun.id });
        return { rows, createdAt: Date.parse(queryRun.createdAt), status: (await send("listQueryRuns", {})).status };
      }),
    );
    expect(seen).toEqual(all.map((_, n) => ({ rows: [[n]], createdAt: n, status: n % 2 === 1 ? 502 : 200 })));
    expect(await callerOf(mock).call("listQueryRuns", {})).toEqual({ queryRuns: [], nextCursor: null });
  });

  it("has the options of its mock, except for its own", async () => {
    const mock = createMockServer({ execute: () => [{ of: "mock" }], clock: { startAt: 5 } });
    const rowsOf = async (namespace: Parameters<typeof callerOf>[0]) => {
      const { call, create, poll } = callerOf(namespace);
      const queryRunId = await create("select");
      await poll(queryRunId);
      return (await call("getQueryRunResults", { queryRunId })).rows;
    };
    const other = mock.namespace({ execute: () => [{ of: "namespace" }] });
    expect([await rowsOf(mock.namespace()), await rowsOf(other)]).toEqual([[["mock"]], [["namespace"]]]);
    expect(other.clock.now()).toBe(5);
  });

  it("is found by a bearer token if there is no x-api-key", async () => {
    const mock = createMockServer();
    const statusOf = async (headers: Record<string, string>) => {
      const call = { jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] };
      const init = {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify(call),
      };
      return (await mock.fetch(`${mock.url}/json-rpc`, init)).status;
    };
    const authorization = `Bearer ${mock.apiKey}`;
    expect(await statusOf({ authorization })).toBe(200);
    expect(await statusOf({ authorization, "x-api-key": "" })).toBe(200);
    expect(await statusOf({ authorization, "x-api-key": "unknown" })).toBe(401);
    expect(await statusOf({ authorization: "Bearer unknown" })).toBe(401);
    expect(await statusOf({ authorization: `Basic ${mock.apiKey}` })).toBe(401);
  });

  it("can have any key without a namespace", async () => {
    const mock = createMockServer();
    const { apiKey } = mock.namespace({ apiKey: "constructor" });
    expect(apiKey).toBe("constructor");
    expect(() => mock.namespace({ apiKey })).toThrow(RangeError);
    expect(() => mock.namespace({ apiKey: mock.apiKey })).toThrow(RangeError);
  });
});

describe("the key of an ended namespace", () => {
  it("is unknown, and can get a new namespace", async () => {
    const mock = createMockServer();
    {
      using namespace = mock.namespace({ apiKey: "again" });
      await callerOf(namespace).create("select");
    }
    const caller = callerOf({ ...mock, apiKey: "again" });
    expect((await caller.send("listQueryRuns", {})).status).toBe(401);
    mock.namespace({ apiKey: "again" });
    expect(await caller.call("listQueryRuns", {})).toMatchObject({ queryRuns: [] });
  });

  it("holds no call, not even one that has just arrived", async () => {
    const namespace = createMockServer().namespace();
    namespace.when("select").after("1h");
    namespace.when("dispose").after("1h");
    namespace.when(({ sql }) => {
      if (sql === "dispose") namespace.dispose();
      return false;
    });
    const { call, create } = callerOf(namespace);
    const held = call("getQueryRun", { queryRunId: await create("select"), waitSeconds: 50 });
    const aboutToBe = call("createQueryRun", { sql: "dispose", waitSeconds: 50 });
    for (const { queryRun } of [await held, await aboutToBe]) expect(queryRun.state).toBe("QUERY_STATE_CANCELED");
  });
});

describe("an unknown key", () => {
  it("gets a namespace if the mock is open; a call without a key does not", async () => {
    const mock = createMockServer({ open: true });
    const as = (apiKey: string) => callerOf({ ...mock, apiKey });
    await as("first").create("select");
    expect((await as("first").call("listQueryRuns", {})).queryRuns).toHaveLength(1);
    expect((await as("second").call("listQueryRuns", {})).queryRuns).toHaveLength(0);
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "listQueryRuns", params: [{}] });
    const headers = { "content-type": "application/json" };
    expect((await mock.fetch(`${mock.url}/json-rpc`, { method: "POST", headers, body })).status).toBe(401);
  });
});

describe("the members of a mock", () => {
  it("are its namespace, the list of all namespaces and its ledger", async () => {
    const ledger = createLedger();
    const mock = createMockServer({ apiKey: "own", ledger });
    expect([mock.apiKey, mock.ledger, createMockServer().ledger]).toEqual(["own", ledger, undefined]);
    const first = mock.namespace();
    const second = mock.namespace({ apiKey: "second" });
    expect(first.apiKey).toMatch(/^mock_[0-9a-f-]{36}$/);
    expect(createMockServer().apiKey).toMatch(/^mock_[0-9a-f-]{36}$/);
    expect(mock.namespaces.keys()).toEqual(["own", first.apiKey, "second"]);
    expect(mock.namespaces.keys()).toEqual(["own", first.apiKey, second.apiKey]);
    second.dispose();
    first[Symbol.dispose]();
    expect(mock.namespaces.keys()).toEqual(["own"]);
    const { create } = callerOf(mock);
    await create("select 1");
    expect(ledger.ledger().sessions).toMatchObject([[{ method: "createQueryRun" }]]);
  });

  it("has the options of its mock in each namespace, which a namespace overrides", async () => {
    const mock = createMockServer({ strict: true, maxPageBytes: 1_000, clock: { startAt: 5 } });
    const stateIn = async (namespace: Parameters<typeof callerOf>[0]) => {
      const { create, poll } = callerOf(namespace);
      return poll(await create("select unexpected"));
    };
    const own = { strict: false, clock: { startAt: 7 } };
    expect([await stateIn(mock), await stateIn(mock.namespace()), await stateIn(mock.namespace(own))]).toEqual([
      "FAILED",
      "FAILED",
      "SUCCESS",
    ]);
    expect([mock.namespace().clock.now(), mock.namespace(own).clock.now()]).toEqual([5, 7]);
  });

  it("are refused with options of other types, and an empty key", () => {
    const create = (options: object) => () => createMockServer(options);
    const namespace = (options: object) => () => createMockServer().namespace(options);
    expect(create({ apiKey: "" })).toThrow("createMockServer: invalid apiKey");
    expect(create({ open: 1 })).toThrow("createMockServer: invalid open: expected true or false, got 1");
    expect(create({ onUnmatched: () => {} })).toThrow('createMockServer: invalid onUnmatched: expected "warn", got');
    expect(create({ ledger: true })).toThrow("createMockServer: invalid ledger: expected an object, got true");
    expect(namespace({ apiKey: "" })).toThrow("namespace: invalid apiKey");
    expect(namespace({ apiKey: 7 })).toThrow("namespace: invalid apiKey: expected a string, got 7");
    expect(namespace({ open: true })).toThrow("namespace: unknown member open");
    expect(namespace({ ledger: createLedger() })).toThrow("namespace: unknown member ledger");
  });

  it("report an error of the mock with its method, and not to the caller", async () => {
    const reported: unknown[] = [];
    const mock = createMockServer({ onError: (error, method) => reported.push([error instanceof Error, method]) });
    // RFC 3339 has no five-digit years.
    mock.clock.advance(Date.UTC(12_000, 0));
    expect(await callerOf(mock).failure("createQueryRun", { sql: "select" })).not.toHaveProperty("data");
    expect(reported).toEqual([[true, "createQueryRun"]]);
  });

  it("note a call that a fault answers in the history, and not in the ledger", async () => {
    const ledger = createLedger();
    const mock = createMockServer({ ledger });
    mock.fault("listQueryRuns", { status: 502 });
    const { send } = callerOf(mock);
    expect((await send("listQueryRuns", {})).status).toBe(502);
    expect((await send("listQueryRuns", {})).status).toBe(200);
    expect(mock.history.callsOf("listQueryRuns")).toHaveLength(2);
    expect(ledger.ledger().sessions.flat()).toHaveLength(1);
  });
});
