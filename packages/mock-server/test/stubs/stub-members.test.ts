import { describe, expect, it } from "vitest";
import { createStub, type Stub, type StubState } from "../../src/stubs/stub.ts";

function open() {
  const state: StubState = { plan: {}, sequence: [], maxRuns: Number.POSITIVE_INFINITY, scenario: undefined };
  return { state, stub: createStub(state) };
}
const rows = [{ n: 1 }];
const failure = { errorMessage: "no" };
const only = "set only one, or several answers in order with sequence([...])";

describe("a stub", () => {
  it.each<[string, (stub: Stub) => Stub, string]>([
    ["rows", (stub) => stub.fails(failure).rows(rows), `rows: the stub already has fails; ${only}`],
    ["rows", (stub) => stub.sequence([{ rows }]).rows(rows), `rows: the stub already has sequence; ${only}`],
    ["fails", (stub) => stub.rows(rows).fails(failure), `fails: the stub already has rows; ${only}`],
    ["fails", (stub) => stub.sequence([{ rows }]).fails(failure), `fails: the stub already has sequence; ${only}`],
    ["sequence", (stub) => stub.rows(rows).sequence([{ rows }]), `sequence: the stub already has rows; ${only}`],
    ["sequence", (stub) => stub.fails(failure).sequence([{ rows }]), `sequence: the stub already has fails; ${only}`],
    ["after", (stub) => stub.afterPolls(2).after(5), `after: the stub already has afterPolls; ${only}`],
    ["afterPolls", (stub) => stub.after(5).afterPolls(2), `afterPolls: the stub already has after; ${only}`],
  ])("refuses %s beside another answer", (_, define, message) => {
    expect(() => define(open().stub)).toThrow(new TypeError(message));
  });

  it("takes a later value of the same member", () => {
    const { stub, state } = open();
    expect(
      stub.rows(rows).rows([]).after(1).after("2s").once().times(3).scenario("a", {}).scenario("b", { newState: "c" }),
    ).toBe(stub);
    expect(state).toEqual({
      plan: { outcome: { result: { columns: [], rows: [] } }, script: { ms: 2_000 } },
      sequence: [],
      maxRuns: 3,
      scenario: { name: "b", newState: "c" },
    });
    const polled = open();
    polled.stub.afterPolls(2).afterPolls(3).once();
    expect([polled.state.plan, polled.state.maxRuns]).toEqual([{ script: { polls: 3 } }, 1]);
  });

  it("collects violations of several methods", () => {
    const { stub, state } = open();
    stub.violateContract("getQueryRun", { a: 1 }).violateContract("createQueryRun", { b: 2 });
    expect(state.plan.violations).toEqual({ getQueryRun: { a: 1 }, createQueryRun: { b: 2 } });
  });

  it("answers in a sequence as often as each answer says", () => {
    const { stub, state } = open();
    stub.sequence([{ fails: failure, times: 2 }, { rows, afterPolls: 3, dataSourceQueryId: "q" }, { after: "1s" }]);
    expect(state.sequence.map(({ end }) => end)).toEqual([2, 3, Number.POSITIVE_INFINITY]);
    expect(state.sequence.map(({ plan }) => Object.keys(plan))).toEqual([
      ["outcome"],
      ["outcome", "script", "dataSourceQueryId"],
      ["script"],
    ]);
    const finite = open();
    finite.stub.sequence([{ rows }, { rows, times: 2 }]);
    expect(finite.state.sequence.map(({ end }) => end)).toEqual([1, 3]);
  });

  it.each<[(stub: Stub) => unknown, string]>([
    [(stub) => stub.times(0), "times: expected a whole number from 1, got 0"],
    [(stub) => stub.times(1.5), "times: expected a whole number from 1, got 1.5"],
    [(stub) => stub.times("2" as never), 'times: expected a whole number from 1, got "2"'],
    [(stub) => stub.sequence([{ times: 0 }]), "times: expected a whole number from 1, got 0"],
    [(stub) => stub.sequence([]), "sequence: expected an array of at least one answer, { rows } or { fails }"],
    [
      (stub) => stub.sequence({ rows } as never),
      "sequence: expected an array of at least one answer, { rows } or { fails }",
    ],
    [(stub) => stub.sequence([{ row: [] } as never]), "sequence: unknown member row; did you mean rows?"],
    [(stub) => stub.sequence([{ times: "1" } as never]), "sequence: invalid times"],
    [(stub) => stub.sequence([{ rows, fails: failure }]), `fails: the stub already has rows; ${only}`],
    [(stub) => stub.dataSourceQueryId(""), 'dataSourceQueryId: expected a string that is not empty, got ""'],
    [(stub) => stub.dataSourceQueryId(5 as never), "dataSourceQueryId: expected a string that is not empty, got 5"],
    [(stub) => stub.scenario(5 as never, {}), "scenario: invalid name: expected a string, got number"],
    [(stub) => stub.scenario("a", { state: "b" } as never), "scenario: unknown member state"],
    [(stub) => stub.scenario("a", { newState: 5 } as never), "scenario: invalid newState"],
    [(stub) => stub.fails({ message: "a" } as never), "fails: unknown member message"],
    [(stub) => stub.fails({ errorMessage: "a", errorData: 5 } as never), "fails: invalid errorData"],
    [(stub) => stub.violateContract("getRun" as never, {}), 'violateContract: unknown method "getRun"'],
    [
      (stub) => stub.violateContract("getQueryRun", [] as never),
      "violateContract: expected an object of members to replace, got []",
    ],
    [
      (stub) => stub.violateContract("getQueryRun", undefined as never),
      "violateContract: expected an object of members to replace, got undefined",
    ],
    [
      (stub) => stub.violateContract("getQueryRun", null as never),
      "violateContract: expected an object of members to replace, got null",
    ],
  ])("%# refuses values that are not valid", (define, message) => {
    expect(() => define(open().stub)).toThrow(message);
  });
});
