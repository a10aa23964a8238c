import { describe, expect, it } from "vitest";
import { seededRows } from "../../src/results/seeded-rows.ts";
import { defaultRows, executed } from "../../src/runs/execute.ts";

const query = { sql: "select a from b", parameters: null, tags: {}, dataSource: "samples" };
const columns = [{ name: "a", kind: "number", engineType: "DOUBLE" }];
const failure = { name: "RangeError", message: "too far", data: { category: "USER" } };

describe("a statement that a function executes", () => {
  it("has its rows at once, or when its promise resolves", async () => {
    expect(executed(() => [{ a: 1 }], query)).toEqual({ result: { columns, rows: [[1]] } });
    const later = executed(async () => [{ a: 1 }], query);
    expect(later).toBeInstanceOf(Promise);
    expect(await later).toEqual({ result: { columns, rows: [[1]] } });
  });

  it("fails as the function does, or as its rows are not valid", async () => {
    const fail = () => {
      throw new RangeError("too far");
    };
    expect(executed(fail, query)).toEqual({ failure });
    expect(await executed(async () => fail(), query)).toEqual({ failure });
    expect(executed(() => undefined as never, query)).toMatchObject({ failure: { name: "TypeError" } });
    expect(await executed(async () => 5 as never, query)).toMatchObject({ failure: { name: "TypeError" } });
  });
});

it("default rows are those of the example, or seeded ones", () => {
  expect(executed(defaultRows(undefined), query)).toEqual({
    result: {
      columns: [
        { name: "origin", kind: "string", engineType: "VARCHAR" },
        { name: "cars", kind: "number", engineType: "BIGINT" },
      ],
      rows: [
        ["USA", 254],
        ["Japan", 79],
        ["Europe", 73],
      ],
    },
  });
  expect(defaultRows(0)(query)).toEqual(seededRows(0, query));
});
