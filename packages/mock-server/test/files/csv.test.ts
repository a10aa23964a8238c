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

describe("the values of a column of CSV", () => {
  const column = (...lines: string[]) => {
    const { columns, rows } = csvTable(["a,b", ...lines.map((line) => `${line},x`)].join("\n"), "f.csv");
    const [first] = columns;
    return [typeof first === "object" ? first.type : undefined, ...rows.map(([value]) => value)];
  };

  it.each<[readonly string[], readonly unknown[]]>([
    [
      ["1", "-2.5", "+.5", "1.", "1e3", "1E-3"],
      ["number", 1, -2.5, 0.5, 1, 1_000, 0.001],
    ],
    [
      ["9007199254740992", "+9007199254740993", "-9007199254740993"],
      ["number", 9_007_199_254_740_992n, 9_007_199_254_740_993n, -9_007_199_254_740_993n],
    ],
    [
      ["9007199254740991", "1e300"],
      ["number", 9_007_199_254_740_991, 1e300],
    ],
    [
      ["1", '"2"'],
      ["string", "1", "2"],
    ],
    [
      ["1", "x"],
      ["string", "1", "x"],
    ],
    [["1x"], ["string", "1x"]],
    [["x1"], ["string", "x1"]],
    [
      ["true", "FALSE", ""],
      ["boolean", true, false, null],
    ],
    [["untrue"], ["string", "untrue"]],
    [["trues"], ["string", "trues"]],
    [
      ["2026-01-31", ""],
      ["date", "2026-01-31", null],
    ],
    [["2026-01-31 10:00"], ["date", "2026-01-31T10:00Z"]],
    [["2026-01-31T10:00:30.5Z"], ["date", "2026-01-31T10:00:30.5Z"]],
    [
      ["2026-01-31T10:00:30+01:00", "2026-01-31 10:00:30-0100"],
      ["date", "2026-01-31T10:00:30+01:00", "2026-01-31T10:00:30-0100"],
    ],
    [["2026-13-31"], ["string", "2026-13-31"]],
    [["x2026-01-31"], ["string", "x2026-01-31"]],
    [["2026-01-31x"], ["string", "2026-01-31x"]],
    [
      ["", '""'],
      ["string", null, ""],
    ],
    [
      ["", ""],
      ["string", null, null],
    ],
  ])("%# are read with the type of the column", (lines, values) => {
    expect(column(...lines)).toEqual(values);
  });

  it.each([
    ["a\r\nb\rc\n", [["b"], ["c"]]],
    ["a\n\nb\n", [[null], ["b"]]],
    ["a,b\n\n1,2\n\n", [[1, 2]]],
    ["a,b\n1,", [[1, null]]],
    ['a,b\n"x ""y"" ,\nz",2', [['x "y" ,\nz', 2]]],
    ['a,b\n"",', [["", null]]],
  ])("are the rows of %j", (text, rows) => {
    expect(csvTable(text, "f.csv").rows).toEqual(rows);
  });

  it.each([
    ["", "f.csv: missing header line; add the names of the columns"],
    ["a,b\n1,2\n3\n", "f.csv: invalid row 2 after the header line: expected 2 values, got 1"],
    ["a\n1,2\n", "f.csv: invalid row 1 after the header line: expected 1 values, got 2"],
    [
      'a\nb"c\n',
      "f.csv: unexpected quote in the value at character 3; quote the whole value, and double the quotes in it",
    ],
  ])("are not those of %j", (text, message) => {
    expect(() => csvTable(text, "f.csv")).toThrow(new SyntaxError(message));
  });
});
