import { describe, expect, it } from "vitest";
import { defineStub, type StubDefinition } from "../../src/stubs/definition.ts";
import { createStubList } from "../../src/stubs/stub-list.ts";

const query = { sql: "SELECT 1", parameters: null, tags: {}, dataSource: "samples" };
const rows = [{ n: 1 }];

/** Returns the plans for three runs of a statement. */
function plans(definition: StubDefinition, sql = query.sql) {
  const list = createStubList();
  defineStub(list.when, definition);
  return Array.from({ length: 3 }, () => list.planFor({ ...query, sql }));
}

describe("a stub as data", () => {
  it("has rows, a duration and an id in the engine", () => {
    const [plan] = plans({ match: "select 1", rows, after: "5s", dataSourceQueryId: "q" });
    expect(plan).toMatchObject({ outcome: { result: { rows: [[1]] } }, script: { ms: 5_000 }, dataSourceQueryId: "q" });
    expect(plans({ match: "select 1", rows, after: 0 })[0]).toMatchObject({ script: { ms: 0 } });
  });

  it("has a failure, polls and a number of runs", () => {
    const [first, second, third] = plans({ match: "select 1", fails: { errorMessage: "no" }, afterPolls: 2, times: 2 });
    expect([first, second]).toMatchObject(
      Array(2).fill({ outcome: { failure: { message: "no" } }, script: { polls: 2 } }),
    );
    expect(third).toEqual({});
  });

  it("has a sequence of answers", () => {
    const answers = plans({ match: "select 1", sequence: [{ fails: { errorMessage: "no" } }, { rows, after: "1s" }] });
    expect(answers).toMatchObject([
      { outcome: { failure: {} } },
      { outcome: { result: {} } },
      { script: { ms: 1_000 } },
    ]);
  });

  it("has a scenario, and violations of the contract", () => {
    const list = createStubList();
    const violateContract = { getQueryRun: { a: 1 }, getQueryRunResults: { b: 2 } };
    defineStub(list.when, { match: "select 1", scenario: { name: "s", requiredState: "ready" }, violateContract });
    defineStub(list.when, { match: "load", scenario: { name: "s", newState: "ready" } });
    expect(list.planFor(query)).toEqual({});
    list.planFor({ ...query, sql: "load" });
    expect(list.planFor(query)).toMatchObject({ violations: violateContract });
  });

  it.each<[StubDefinition["match"], string, boolean]>([
    [{ pattern: "from CARS" }, "select 1 from cars", true],
    [{ pattern: "from CARS", dataSource: "lake" }, "select 1 from cars", false],
    [{ pattern: "^cars" }, "select 1 from cars", false],
    [{ sql: "select 1" }, "SELECT 1;", true],
    [{ dataSource: "samples" }, "select 1", true],
  ])("matches by %j the statement %s: %s", (match, sql, isMatch) => {
    expect(plans({ match, rows }, sql)[0]?.outcome !== undefined).toBe(isMatch);
  });

  it("names each member to the function that applies it", () => {
    const members: string[] = [];
    const definition: StubDefinition = {
      match: "a",
      rows,
      afterPolls: 1,
      times: 1,
      dataSourceQueryId: "q",
      scenario: { name: "s" },
      violateContract: { getQueryRun: {} },
    };
    defineStub(createStubList().when, definition, (member, work) => {
      members.push(member);
      return work();
    });
    expect(members).toEqual(Object.keys(definition));
  });

  it.each([
    [{}, "stub: invalid match"],
    [{ match: 5 }, "stub: invalid match"],
    [{ match: null }, "stub: invalid match"],
    [{ match: { sql: "a", pattern: "b" } }, "match: expected either sql or pattern, got both"],
    [{ match: { pattern: "(" } }, "Invalid regular expression"],
    [{ match: "a", row: [] }, "stub: unknown member row; did you mean rows?"],
    [{ match: "a", rows: 5 }, "stub: invalid rows"],
    [{ match: "a", fails: [] }, "stub: invalid fails"],
    [{ match: "a", after: true }, "stub: invalid after"],
    [{ match: "a", afterPolls: "1" }, "stub: invalid afterPolls"],
    [{ match: "a", times: "1" }, "stub: invalid times"],
    [{ match: "a", dataSourceQueryId: 5 }, "stub: invalid dataSourceQueryId"],
    [{ match: "a", sequence: {} }, "stub: invalid sequence"],
    [{ match: "a", scenario: "s" }, "stub: invalid scenario"],
    [{ match: "a", violateContract: [] }, "stub: invalid violateContract"],
    [{ match: "a", violateContract: { getRun: {} } }, "violateContract: unknown method"],
  ])("%j is refused", (definition, message) => {
    if (!("match" in definition)) return expect(() => plans(definition as StubDefinition)).toThrow(TypeError);
    expect(() => plans(definition as StubDefinition)).toThrow(message);
  });
});
