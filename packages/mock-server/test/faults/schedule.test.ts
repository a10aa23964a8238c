import { describe, expect, it } from "vitest";
import { createMockServer, type FaultOptions, type FaultyMethod } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

const refusal = { code: -32029, message: "slow down" };

/** Returns the numbers of the calls, of five, that meet the fault. */
async function met(method: FaultyMethod, options: FaultOptions) {
  const mock = createMockServer();
  const planned = mock.fault(method, { error: refusal, ...options });
  const { send } = callerOf(mock);
  const calls: boolean[] = [];
  for (let n = 0; n < 5; n++) {
    await send("describeQuery", { sql: "select 1" });
    calls.push("error" in (await (await send("listQueryRuns", {})).json()));
  }
  expect(planned.timesUsed).toBeGreaterThanOrEqual(calls.filter(Boolean).length);
  return calls.map((isMet, at) => (isMet ? String(at + 1) : "")).join("");
}

describe("a fault meets", () => {
  it.each<[string, FaultyMethod, FaultOptions]>([
    ["1", "listQueryRuns", {}],
    ["2", "listQueryRuns", { on: 2 }],
    ["23", "listQueryRuns", { on: 2, times: 2 }],
    ["345", "listQueryRuns", { on: 3, times: "ever" }],
    ["", "getQueryRun", { times: "ever" }],
    ["2", "*", { on: 4 }],
  ])("the calls %j of %s planned as %j", async (calls, method, options) => {
    expect(await met(method, options)).toBe(calls);
  });

  it("calls that are made after it is planned", async () => {
    const mock = createMockServer();
    const { send, failure } = callerOf(mock);
    await send("listQueryRuns", {});
    mock.fault("listQueryRuns", { error: refusal });
    expect(await failure("listQueryRuns", {})).toEqual(refusal);
  });
});

describe("a fault is refused", () => {
  it.each([0, -1, 1.5, Number.NaN])("for the call %j", (on) => {
    expect(() => createMockServer().fault("getQueryRun", { on })).toThrow(RangeError);
    expect(() => createMockServer().fault("getQueryRun", { times: on })).toThrow(RangeError);
  });

  it("for an unknown method, and for what HTTP does not allow", () => {
    const { fault } = createMockServer();
    expect(() => fault("getQueryRuns" as "getQueryRun", {})).toThrow(
      /unknown method "getQueryRuns"; did you mean getQueryRun\?/,
    );
    expect(() => fault("getQueryRun", { delay: "soon" as "1s" })).toThrow(RangeError);
    expect(() => fault("getQueryRun", { status: 101 })).toThrow(/200 to 599/);
    for (const headers of [{ "retry after": "1" }, { "retry-after": "1\n" }, { "": "1" }, { link: "☃" }])
      expect(() => fault("getQueryRun", { headers })).toThrow(/invalid HTTP header/);
  });
});
