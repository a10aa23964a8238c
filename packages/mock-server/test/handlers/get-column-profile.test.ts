import { expect, it } from "vitest";
import { createMockServer } from "../../src/index.ts";
import { callerOf } from "../caller.ts";

it("profiles the columns of a stub", async () => {
  const mock = createMockServer();
  const rows = [
    { n: 254, word: "b", day: "2026-11-20", none: null },
    { n: 73, word: "b", day: "2026-11-22", none: null },
    { n: null, word: "a".repeat(201), day: "2026-11-20", none: null },
  ];
  mock.when("select").rows({
    columns: ["n", "word", { name: "day", type: "date", engineType: "DATE" }, "none"],
    rows: rows.map(Object.values),
  });
  const { call, create, failure, poll } = callerOf(mock);
  const queryRunId = await create("select");
  await poll(queryRunId);
  const profile = (column: string, more: object = {}) => call("getColumnProfile", { queryRunId, column, ...more });
  const numbers = await profile("N");
  expect(numbers).toMatchObject({ column: "n", rowCount: 3, nullCount: 1, distinctCount: 2, min: 73, max: 254 });
  expect(numbers).toMatchObject({ mean: 163.5, isDistinctExact: true });
  expect(numbers.bins[0]).toEqual({ from: 73, to: 80, count: 1 });
  expect(numbers.bins.at(-1)).toMatchObject({ to: 254, count: 1 });
  expect((await profile("word")).frequentValues).toEqual([
    { value: "b", count: 2, isCut: false },
    { value: "a".repeat(200), count: 1, isCut: true },
  ]);
  expect((await profile("day")).bins).toEqual([
    { from: "2026-11-20", to: "2026-11-21", count: 2 },
    { from: "2026-11-21", to: "2026-11-22", count: 0 },
    { from: "2026-11-22", to: "2026-11-22", count: 1 },
  ]);
  expect(await profile("none")).toMatchObject({ nullCount: 3, min: null, mean: null, frequentValues: [], bins: [] });
  expect(await profile("n", { filters: [{ column: "word", eq: "b" }] })).toMatchObject({ rowCount: 2, nullCount: 0 });
  expect(await failure("getColumnProfile", { queryRunId, column: "m" })).toMatchObject({ code: -32156 });
  expect(await failure("getColumnProfile", { queryRunId: "unknown", column: "n" })).toMatchObject({ code: -32099 });
});
