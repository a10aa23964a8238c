import { describe, expect, it } from "vitest";
import { csvTable } from "../../src/files/csv.ts";

/** The type and the value of one cell, whose column has it alone. */
function cell(text: string) {
  const { columns, rows } = csvTable(`a,b\n${text},x`, "a.csv");
  return [columns?.[0], rows[0]?.[0 as never]].map((one) => (one as { type?: string })?.type ?? one);
}

describe("a cell", () => {
  it.each([
    ["1", "number", 1],
    ["+1", "number", 1],
    ["-1.50", "number", -1.5],
    [".5", "number", 0.5],
    ["5.", "number", 5],
    ["1e3", "number", 1_000],
    ["1E-3", "number", 0.001],
    ["9007199254740991", "number", 9_007_199_254_740_991],
    ["9007199254740993", "number", 9_007_199_254_740_993n],
    ["+9007199254740993", "number", 9_007_199_254_740_993n],
    ["-9007199254740993", "number", -9_007_199_254_740_993n],
    ["12345678901234567890.5", "number", 12_345_678_901_234_567_000],
    ["true", "boolean", true],
    ["False", "boolean", false],
    ["TRUE", "boolean", true],
    ["2024-02-29", "date", "2024-02-29"],
    ["2024-02-29 10:00", "date", "2024-02-29T10:00Z"],
    ["2024-02-29T10:00:00.25", "date", "2024-02-29T10:00:00.25Z"],
    ["2024-02-29T10:00:00Z", "date", "2024-02-29T10:00:00Z"],
    ["2024-02-29T10:00:00-0130", "date", "2024-02-29T10:00:00-0130"],
  ])("%s is a %s: %s", (text, kind, value) => {
    expect(cell(text)).toEqual([kind, value]);
  });

  it.each([
    "x1",
    "1x",
    "1e",
    "--1",
    "true!",
    "untrue",
    "x2024-02-29",
    "2024-02-29x",
    "2024-02-29 at 10:00",
    "2024-02-30x",
    "1;5",
  ])("%s is a text", (text) => {
    expect(cell(text)).toEqual(["string", text]);
  });

  it("in quotes is a text, and nothing in quotes no null", () => {
    expect(csvTable('a,b,c\n"1","",\n"2",x,', "a.csv")).toEqual({
      columns: ["a", "b", "c"].map((name) => ({ name, type: "string" })),
      rows: [
        ["1", "", null],
        ["2", "x", null],
      ],
    });
  });

  it("of another kind makes a text of its column", () => {
    expect(csvTable("a,b\n1,true\nx,2", "a.csv")).toMatchObject({
      columns: [{ type: "string" }, { type: "string" }],
      rows: [
        ["1", "true"],
        ["x", "2"],
      ],
    });
  });
});
