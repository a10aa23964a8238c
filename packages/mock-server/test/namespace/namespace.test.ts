import { describe, expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
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
