import { describe, expect, it } from "vitest";
import { createLedger, mergedLedger } from "../../src/ledger/ledger.ts";

const request = (method: string, params: object, id = 1) =>
  JSON.stringify({ jsonrpc: "2.0", id, method, params: [params] });
const reply = (result: unknown, id = 1) => ({
  status: 200,
  headers: {},
  body: [JSON.stringify({ jsonrpc: "2.0", id, result })],
});
const refused = (code: number) => ({
  status: 200,
  headers: {},
  body: [JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code, message: "m" } })],
});
const run = (state: string) => ({ queryRun: { state } });

describe("the calls of a session", () => {
  it("have the last of equal ones in a row, by method, params, code and states", () => {
    const ledger = createLedger();
    const poll = (result: object, id = "a") => ledger.record("k", request("getQueryRun", { id }), reply(result));
    poll({ ...run("RUNNING"), n: 1 });
    poll({ ...run("RUNNING"), n: 2 });
    poll(run("SUCCESS"));
    poll({ ...run("SUCCESS"), n: 3 }, "b");
    ledger.record("k", request("getQueryRun", { id: "b" }), refused(5));
    ledger.record("k", request("getQueryRun", { id: "b" }), refused(6));
    const call = { method: "getQueryRun", params: { id: "a" } };
    const other = { method: "getQueryRun", params: { id: "b" } };
    expect(ledger.ledger()).toEqual({
      sessions: [
        [
          { ...call, result: { ...run("RUNNING"), n: 2 } },
          { ...call, result: run("SUCCESS") },
          { ...other, result: { ...run("SUCCESS"), n: 3 } },
          { ...other, error: { code: 5 } },
          { ...other, error: { code: 6 } },
        ],
      ],
    });
  });

  it("keep the first row of their results, and lack calls without a reply", () => {
    const ledger = createLedger();
    ledger.record("k", request("getQueryRunResults", {}), reply({ rows: [[1], [2]], more: 1 }));
    ledger.record("k", `[${request("a", {}, 1)},5,${request("b", {}, 2)}]`, {
      status: 200,
      headers: {},
      body: [`[${reply(null, 2).body}]`.replace("null", "{}")],
    });
    expect(ledger.ledger().sessions).toEqual([
      [
        { method: "getQueryRunResults", params: {}, result: { rows: [[1]], more: 1 } },
        { method: "b", params: {}, result: {} },
      ],
    ]);
  });

  it("are named for all sessions, and for one", () => {
    const ledger = createLedger({ consumer: "garage", test: "any" });
    for (const key of ["a", "b"]) ledger.record(key, request("m", { key }), reply({}));
    ledger.name("a", { test: "lists" });
    ledger.name("a", { providerStates: [{ name: "cars" }] });
    const calls = (key: string) => [{ method: "m", params: { key }, result: {} }];
    expect(ledger.ledger().sessions).toEqual([
      { consumer: "garage", test: "lists", providerStates: [{ name: "cars" }], calls: calls("a") },
      { consumer: "garage", test: "any", calls: calls("b") },
    ]);
  });

  it.each([{ tests: "a" }, { test: 5 }, { consumer: 5 }, { providerStates: "a" }])("refuse the names %j", (names) => {
    expect(() => createLedger(names as object)).toThrow(/^createLedger: /);
    expect(() => createLedger().name("a", names as object)).toThrow(/^ledger\.name: /);
  });
});

it("merged sessions are each there once, the empty ones not at all, and those with other names apart", () => {
  const call = { method: "m", params: {}, result: { queryRun: { state: "A", n: 1 } } };
  const same = { ...call, result: { queryRun: { state: "A", n: 2 } } };
  const other = { ...call, result: { queryRun: { state: "B" } } };
  expect(
    mergedLedger([[], [call], { test: "a", calls: [] }, [same], [other], { test: "a", calls: [call] }]).sessions,
  ).toEqual([[same], [other], { test: "a", calls: [call] }]);
});
