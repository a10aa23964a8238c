import { describe, expect, it, vi } from "vitest";
import type { Row } from "../../src/output/row.ts";
import { tableWriter } from "../../src/output/table.ts";
import { textWidth } from "../../src/output/text-width.ts";

const columns = [
  { key: "id", name: "id", type: "number" },
  { key: "text", name: "text", type: "string" },
  { key: "note", name: "note", type: "string" },
];

function table(rows: readonly Row[], terminalWidth?: number, names = columns) {
  let hidden = 0;
  const writer = tableWriter(names, {
    terminalWidth,
    onCut(cut) {
      if ("hiddenColumns" in cut) hidden = cut.hiddenColumns;
    },
  });
  return { lines: (writer.page(rows) + writer.tail()).split("\n").slice(0, -1), hidden };
}

describe("a table on a terminal", () => {
  it("shortens its widest texts until it fits, and no number", () => {
    expect(table([[12_345_678_901, "abcdefghijklmnopqrst", "short"]], 34).lines).toEqual([
      "         id  text            note",
      "───────────  ──────────────  ─────",
      "12345678901  abcdefghijklm…  short",
    ]);
  });

  it("counts the columns of the terminal, not characters", () => {
    const { lines } = table([[1, "日本日本日本日本日本", "❤️❤️❤️❤️❤️❤️❤️❤️"]], 25);
    expect(lines[2]).toBe(" 1  日本日本…  ❤️❤️❤️❤️…");
    for (const line of lines) expect(textWidth(line)).toBeLessThanOrEqual(25);
  });

  it("drops columns from the right where shortening is not enough, and counts them", () => {
    const names = Array.from({ length: 20 }, (_, n) => ({ key: `c${n}`, name: `column_${n}`, type: "string" }));
    const { lines, hidden } = table([names.map(() => "a longer text")], 40, names);
    expect(lines[0]).toBe("column_0  column_1  column_2  column_3");
    expect(hidden).toBe(16);
  });

  it("shortens wider cells of later pages", () => {
    const writer = tableWriter(columns, { terminalWidth: 80 });
    writer.page([[1, "a", "b"]]);
    expect(writer.page([[2, "longer text", "b"]])).toBe(" 2  lon…  b\n");
  });

  it("that is wide enough shows all, and so does one without a width", () => {
    const row: Row = [1, "abcdefghijklmnopqrst", "short"];
    expect(table([row], 80)).toEqual(table([row]));
    expect(table([row]).lines[2]).toBe(" 1  abcdefghijklmnopqrst  short");
  });
});

describe("a table that is wider than the terminal", () => {
  const whole = { key: "id", name: "id", type: "string", isWhole: true };

  it("cuts its first column to the terminal, and drops the others", () => {
    expect(table([["0123456789", "b"]], 6, [whole, { ...whole, name: "b" }])).toEqual({
      lines: ["id", "──────", "01234…"],
      hidden: 1,
    });
  });

  it.each([
    [14, "0123456789  ab"],
    [13, "0123456789"],
  ])("of %i columns prints columns that fit exactly", (width, line) => {
    expect(table([["0123456789", "ab"]], width, [whole, { ...whole, name: "b" }]).lines[2]).toBe(line);
  });

  it("narrows texts to eight columns at least, and the name of a number to its digits", () => {
    const text = { key: "t", name: "t", type: "string" };
    const number = { key: "n", name: "number_of_cars", type: "number" };
    expect(table([["0123456789", 12]], 12, [text, number]).lines).toEqual([
      "t         n…",
      "────────  ──",
      "0123456…  12",
    ]);
    expect(table([["0123456789", 12]], 11, [text, number]).lines).toEqual(["t", "──────────", "0123456789"]);
  });

  it("does not count hidden columns if all fit", () => {
    const onCut = vi.fn();
    tableWriter(columns, { terminalWidth: 80, onCut }).page([[1, "a", "b"]]);
    expect(onCut).not.toHaveBeenCalled();
  });

  it("escapes control characters in the names of columns, too", () => {
    expect(table([], undefined, [{ ...whole, name: "a\u001bb" }]).lines[0]).toBe("a\\u001bb");
  });
});
