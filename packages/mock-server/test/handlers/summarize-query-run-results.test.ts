import { expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

it("summarizes the rows of a stub in groups", async () => {
  const mock = createMockServer();
  mock.when("select").rows({
    columns: ["n", "word", { name: "day", type: "date", engineType: "DATE" }, "at", "toString"],
    rows: [
      [254, "b", "2026-11-20", new Date("2026-11-20T10:59:59Z"), 9_007_199_254_740_993n],
      [73, "b", "2026-11-22", new Date("2026-11-20T10:00:00Z"), 1],
      [Number.NEGATIVE_INFINITY, "a".repeat(201), "2026-11-23", new Date("0099-03-01T00:00:00Z"), null],
      [null, "b", null, null, 2],
    ],
  });
  const { call, create, failure, poll } = callerOf(mock);
  const queryRunId = await create("select");
  await poll(queryRunId);
  const count = { function: "count" };
  const summary = (groupBy: object[], measures: object[] = [count], more: object = {}) =>
    call("summarizeQueryRunResults", { queryRunId, groupBy, measures, ...more });

  const sums = await summary([{ column: "WORD" }], [{ function: "sum", column: "TOSTRING" }, count]);
  expect(sums).toMatchObject({ rowCount: 4, groupCount: 2, keys: [{ column: "word", bins: null, unit: null }] });
  expect(sums.measures[0]).toEqual({ function: "sum", column: "toString", type: "number", isExact: true });
  expect(sums.groups).toEqual([
    ["a".repeat(200), null, 1],
    ["b", "9007199254740996", 3],
  ]);

  const bins = await summary([{ column: "n", bins: 10 }], [count, { function: "mean", column: "n" }]);
  expect(bins.keys[0].bins.length).toBe(10);
  expect(bins.keys[0].bins[9]).toEqual({ from: 244, to: 254 });
  expect(bins.groups).toEqual([
    ["-Infinity", 1, "-Infinity"],
    [73, 1, 73],
    [244, 1, 254],
    [null, 1, null],
  ]);

  expect((await summary([{ column: "day", unit: "week" }])).groups).toEqual([
    ["2026-11-16", 2],
    ["2026-11-23", 1],
    [null, 1],
  ]);
  expect((await summary([{ column: "at", unit: "hour" }, { column: "word" }], [count], { limit: 2 })).groups).toEqual([
    ["0099-03-01T00:00:00.000Z", "a".repeat(200), 1],
    ["2026-11-20T10:00:00.000Z", "b", 2],
  ]);
  expect((await summary([{ column: "at", unit: "quarter" }])).groups[0]).toEqual(["0099-01-01T00:00:00.000Z", 1]);
  const none = await summary([{ column: "n", bins: 2 }], [count], { filters: [{ column: "n", gt: 1_000 }] });
  expect(none).toMatchObject({ rowCount: 0, groupCount: 0, groups: [], keys: [{ bins: [] }] });

  const refused = (groupBy: object[], measures?: object[]) =>
    failure("summarizeQueryRunResults", { queryRunId, groupBy, measures: measures ?? [count] });
  expect(await refused([{ column: "m" }])).toMatchObject({ code: -32156, data: { member: "groupBy", column: "m" } });
  expect(await refused([{ column: "n", bins: 2, unit: "day" }])).toMatchObject({
    code: -32602,
    data: { issues: [{ pointer: "/params/0/groupBy/0" }] },
  });
  expect(await refused([{ column: "n" }], [{ function: "max" }])).toMatchObject({
    data: { issues: [{ pointer: "/params/0/measures/0/column" }] },
  });
});
