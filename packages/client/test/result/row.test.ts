import { describe, expect, it } from "vitest";
import { checkSize, keysOfPage, objectReader, rowKeysOf } from "../../src/result/row.ts";
import { parseRow, type RowSchema } from "../../src/result/row-schema.ts";

const page = (columnNames: readonly string[], rows: readonly unknown[]) =>
  ({ columnNames, rows, columnTypes: [], rowCount: null, offset: 0, isLast: true }) as const;

describe("the keys of rows", () => {
  it.each([
    [["a", "B"], [[1, 2]], ["a", "B"]],
    [["a", "a", "a"], [], ["a", "a_2", "a_3"]],
    [["a", "B"], [{ a: 1, b: 2 }], ["a", "b"]],
    [["a", "B"], [{ a: 1, B: 2 }], ["a", "B"]],
    [["toString"], [{}], ["tostring"]],
  ])("of the columns %j and the rows %j are %j", (names, rows, keys) => {
    expect(keysOfPage(page(names, rows))).toEqual(keys);
    expect(rowKeysOf(page(names, rows))).toEqual(keys);
    expect(rowKeysOf({ first: page(names, rows) })).toEqual(keys);
  });

  it("of a page of rows are those it has", () => {
    expect(rowKeysOf({ rowKeys: ["x"] })).toEqual(["x"]);
  });
});

describe("the object of a row", () => {
  it("has the cells by their keys, and an object as it is", () => {
    const read = objectReader(["a", "b"]);
    expect(read([1, null])).toEqual({ a: 1, b: null });
    expect(read([1])).toEqual({ a: 1, b: undefined });
    expect(read([2, 3])).toEqual({ a: 2, b: 3 });
    const object = { c: 1 };
    expect(read(object)).toBe(object);
  });

  it("has a column named __proto__ as its own member", () => {
    expect(Object.entries(objectReader(["__proto__", "a"])([1, 2]))).toEqual([
      ["__proto__", 1],
      ["a", 2],
    ]);
  });
});

describe("the size of a result", () => {
  const sized = (rowCount: number | null, offset: number, rows: number) => ({
    ...page([], Array(rows).fill([])),
    rowCount,
    offset,
  });
  const limit = (text: string) =>
    `Result too large for maxRows 5: it has ${text} rows; limit the statement, read single pages, or raise maxRows`;

  it.each([
    [sized(5, 0, 2), undefined],
    [sized(null, 3, 2), undefined],
    [sized(6, 0, 2), limit("6")],
    [sized(null, 3, 3), limit("at least 6")],
    [sized(2, 3, 3), limit("6")],
  ])("%# is checked against maxRows", (page, message) => {
    if (message === undefined) expect(() => checkSize(page, 5, "run_1")).not.toThrow();
    else
      expect(() => checkSize(page, 5, "run_1")).toThrow(
        expect.objectContaining({ message, kind: "protocol", queryRunId: "run_1" }),
      );
    expect(() => checkSize(page)).not.toThrow();
  });

  it("without a run names none", () => {
    let caught: unknown;
    try {
      checkSize(sized(6, 0, 0), 5);
    } catch (error) {
      caught = error;
    }
    expect(caught).not.toHaveProperty("queryRunId");
  });
});

describe("a schema", () => {
  const schemaOf = (outcome: unknown) => ({ "~standard": { validate: () => outcome } }) as RowSchema<unknown>;

  it("returns the parsed row, also later", async () => {
    expect(await parseRow(schemaOf({ value: 5 }), {}, 0, "run_1")).toBe(5);
    expect(await parseRow(schemaOf(Promise.resolve({ value: 6 })), {}, 0, "run_1")).toBe(6);
  });

  it.each([
    [[{ message: "no", path: ["a", "b"] }], "row 7: a: no"],
    [[{ message: "no", path: [{ key: "a" }] }], "row 7: a: no"],
    [[{ message: "no" }, { message: "more" }], "row 7: no"],
    [[], "row 7"],
  ])("refuses a row with its number and column: %j", async (issues, message) => {
    await expect(parseRow(schemaOf({ issues }), {}, 7, "run_1")).rejects.toMatchObject({
      kind: "protocol",
      message,
      data: { row: 7, issues },
      queryRunId: "run_1",
    });
  });
});
