import { describe, expect, it } from "vitest";
import { createFaultSchedule } from "../../src/faults/schedule.ts";
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

describe("a schedule of faults", () => {
  const fault = { status: 500 };

  it("is exhausted once each fault has met its last call, and never with a fault for ever", () => {
    const schedule = createFaultSchedule();
    expect(schedule.isExhausted).toBe(true);
    schedule.plan("listQueryRuns", { ...fault, on: 2, times: 2 });
    const seen = Array.from({ length: 4 }, () => [schedule.isExhausted, schedule.next("listQueryRuns").length]);
    expect(seen).toEqual([
      [false, 0],
      [false, 1],
      [false, 1],
      [true, 0],
    ]);
    schedule.plan("*", { ...fault, times: "ever" });
    schedule.next("rpc.discover");
    expect(schedule.isExhausted).toBe(false);
    schedule.clear();
    expect([schedule.isExhausted, schedule.next("rpc.discover")]).toEqual([true, []]);
  });

  it("returns all faults of a call, in the order of their plans", () => {
    const schedule = createFaultSchedule();
    schedule.plan("*", { body: "a" });
    schedule.plan("getQueryRun", { body: "b" });
    schedule.plan("listQueryRuns", { body: "c" });
    expect(schedule.next("listQueryRuns")).toEqual([{ body: "a" }, { body: "c" }]);
    expect(schedule.unused()).toEqual(['the fault {"body":"b"} of getQueryRun was applied to no call']);
  });

  it("counts how often a fault was applied", () => {
    const schedule = createFaultSchedule();
    const planned = schedule.plan("getQueryRun", { ...fault, on: 2 });
    const used = ["getQueryRun", "listQueryRuns", "getQueryRun", "getQueryRun"].map((method) => {
      schedule.next(method);
      return planned.timesUsed;
    });
    expect(used).toEqual([0, 0, 1, 1]);
    expect(planned).toMatchObject({ method: "getQueryRun", fault });
  });

  it.each<[object, string]>([
    [{}, "fault: expected a member that makes a fault, such as status, connection or error; got none"],
    [{ on: 2 }, "fault: expected a member that makes a fault, such as status, connection or error; got none"],
    [{ status: undefined }, "fault: expected a member that makes a fault"],
    [{ status: 199 }, "fault: invalid status: expected a whole number from 200 to 599, got 199"],
    [{ status: 600 }, "fault: invalid status: expected a whole number from 200 to 599, got 600"],
    [{ status: 200.5 }, "fault: invalid status: expected a whole number from 200 to 599, got 200.5"],
    [{ body: "", on: 0 }, "fault: invalid on: expected a whole number from 1, got 0"],
    [{ body: "", on: "ever" }, "fault: invalid on: expected a whole number from 1, got ever"],
    [{ body: "", times: "often" }, "fault: invalid times: expected a whole number from 1, got often"],
    [{ headers: { "a b": "c" } }, 'fault: invalid HTTP header: {"a b":"c"}; use characters that HTTP allows'],
    [{ headers: { a: "b\n" } }, "fault: invalid HTTP header"],
    [{ headers: { a: "b\u0100" } }, "fault: invalid HTTP header"],
    [{ delay: "soon" }, "invalid duration"],
    [{ body: 5 }, "body"],
    [{ performed: "no" }, "performed"],
    [{ connection: "slow" }, "connection"],
    [{ replyDefect: "none" }, "replyDefect"],
    [{ error: { code: 5 } }, "message"],
    [{ error: { code: 5, message: "a", more: 1 } }, "more"],
    [{ error: { code: 1.5, message: "a" } }, "code"],
    [{ override: 5 }, "override"],
    [{ headers: { a: 5 } }, "headers"],
    [{ statsu: 500 }, "status"],
  ])("refuses %j", (options, message) => {
    expect(() => createFaultSchedule().plan("*", options as FaultOptions)).toThrow(message);
  });

  it.each<FaultOptions>([
    { status: 200 },
    { status: 599 },
    { headers: { "a!#$%&'*+.^`|~-9": "\t b\u00ff" } },
    { result: null },
    { connection: "normal" },
    { performed: false },
    { error: { code: 5, message: "a", data: null } },
    ...["byte-by-byte", "close-mid-body", "reset-mid-body", "stall-mid-body", "trickle", "close", "reset", "hang"].map(
      (connection) => ({ connection }) as FaultOptions,
    ),
    ...["other-id", "string-id", "null-id", "missing-id", "missing-version", "json-rpc-1.0", "result-and-error"].map(
      (replyDefect) => ({ replyDefect }) as FaultOptions,
    ),
    ...["no-result-or-error", "extra-members", "missing-reply", "duplicate-reply"].map(
      (replyDefect) => ({ replyDefect }) as FaultOptions,
    ),
  ])("takes %j", (options) => {
    const schedule = createFaultSchedule();
    schedule.plan("rpc.discover", options);
    expect(schedule.next("rpc.discover")).toEqual([options]);
  });

  it("names the member of each check", () => {
    const members: unknown[] = [];
    createFaultSchedule().plan("*", { status: 500 }, (member, check) => {
      members.push(member);
      check();
    });
    expect(members).toEqual(["method", "on", "times", "delay", "status", "headers", null]);
  });
});
