import { describe, expect, it } from "vitest";
import type { Random } from "../../src/random.ts";
import { variedResult } from "../../src/variation/result.ts";

/** Random numbers that a test decides: whether each chance is met, and the number of a new member. */
const randomOf = (isMet: boolean, number = 5): Random => ({
  below: () => number,
  oneIn: () => isMet,
  pick: (choices) => choices[1] ?? choices[0],
  shuffled: (items) => items.toReversed(),
});

const run = {
  id: "run_1",
  state: "QUERY_STATE_RUNNING",
  errorName: null,
  tags: { b: "1", a: "2" },
  other: { c: null },
};
const result = { queryRun: run };

describe("a varied result", () => {
  it("has the members of the result in another order, if no chance is met", () => {
    const varied = variedResult("getQueryRun", result, randomOf(false));
    expect(varied).toEqual(result);
    expect(JSON.stringify(varied)).toBe(
      '{"queryRun":{"other":{"c":null},"tags":{"a":"2","b":"1"},"errorName":null,"state":"QUERY_STATE_RUNNING","id":"run_1"}}',
    );
  });

  it("has an unknown state, new members, and nulls that the contract allows", () => {
    expect(variedResult("getQueryRun", { ...result, redirectedToQueryRun: null }, randomOf(true, 7))).toEqual({
      queryRun: expect.objectContaining({
        id: "run_1",
        state: "PLANNING",
        errorName: null,
        rowCount: null,
        new7: "new",
      }),
      new7: "new",
    });
    expect(variedResult("getQueryRun", result, randomOf(true, 7))).toEqual({
      queryRun: expect.not.objectContaining({ progress: null, queuePosition: null, waitReason: null, userId: null }),
      redirectedToQueryRun: null,
      new7: "new",
    });
  });

  it.each([
    [5, null],
    [11, 0],
    [22, "new"],
    [33, []],
    [99, { state: "none", error: {} }],
  ])("has the same value for the new member of number %i in each answer", (number, value) => {
    expect(variedResult("getQueryRun", result, randomOf(true, number))).toHaveProperty(`new${number}`, value);
  });

  it.each(["QUERY_STATE_SUCCESS", "QUERY_STATE_FAILED", "QUERY_STATE_CANCELED"])(
    "keeps the final state %s",
    (state) => {
      const varied = variedResult("getQueryRun", { queryRun: { ...run, state } }, randomOf(true));
      expect(varied).toMatchObject({ queryRun: { state } });
    },
  );

  it("varies each run of a list, and neither tags nor rows", () => {
    const varied = variedResult("listQueryRuns", { queryRuns: [run, run] }, randomOf(true));
    const one = { state: "PLANNING", tags: run.tags, new5: null };
    expect(varied).toMatchObject({ queryRuns: [one, one] });
    const rows = [[1, { a: 1, b: 2 }]];
    expect(variedResult("getQueryRunResults", { rows }, randomOf(true))).toMatchObject({ rows });
    expect(JSON.stringify(variedResult("getQueryRunResults", { rows }, randomOf(false)))).toBe(
      JSON.stringify({ rows }),
    );
  });

  it("is the result itself for an unknown method, and a value that is no object", () => {
    expect(variedResult("noMethod", result, randomOf(true))).toBe(result);
    expect(variedResult("getQueryRun", null, randomOf(true))).toBeNull();
    expect(variedResult("getQueryRun", "text", randomOf(true))).toBe("text");
  });
});
