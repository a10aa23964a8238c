import { describe, expect, it } from "vitest";
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
    onHidden(count) {
      hidden = count;
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
