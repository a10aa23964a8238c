import { expect, it } from "vitest";
import { errorText } from "../../src/output/error-text.ts";

const failure = (data: unknown) =>
  ({ exitCode: 4, kind: "failed", message: "no column bad (line 1, column 8)", details: { data } }) as const;

/** Returns the lines of the error of a statement at the word `bad`. */
function lines(sql: string, columns = 80, line = 1, file?: string) {
  return errorText(failure({ position: sql.indexOf("bad") }), { sql, line, file }, columns).split("\n");
}

it.each([
  ["select bad", "line 1: select bad", "               ^"],
  ["select\tbad", "line 1: select    bad", "                  ^"],
  ["select '日本', bad", "line 1: select '日本', bad", "                       ^"],
  ["select '👩‍👩‍👧e\u0301', bad", "line 1: select '👩‍👩‍👧e\u0301', bad", "                      ^"],
  ["select 1,\r\n  bad,\r\n2", "line 2:   bad,", "          ^"],
  ["select '\u001b[2J', bad", "line 1: select '\\u001b[2J', bad", "                            ^"],
  ["bad", "line 1: bad", "        ^"],
])("%j has the caret under the place", (sql, shown, caret) => {
  expect(lines(sql)).toEqual(["error: no column bad", shown, caret]);
});

it("cuts a long line around the place, to the width of the terminal", () => {
  const [, shown = "", caret = ""] = lines(`select ${"a, ".repeat(50)}bad ${", b".repeat(50)}`, 60);
  expect(shown.length).toBe(60);
  expect(shown).toMatch(/^line 1: ….*bad.*…$/);
  expect(shown.slice(caret.length - 1)).toMatch(/^bad/);
});

it("names the file and the line of a script, and finds the place in the error of a method", () => {
  expect(lines("select 1,\nbad", 80, 7, "report.sql")).toEqual([
    "report.sql:7: error: no column bad",
    "line 8: bad",
    "        ^",
  ]);
  const nested = errorText(failure({ errorData: { position: 7 } }), { sql: "select bad", line: 1 }, 80);
  expect(nested).toMatch(/\^$/);
});

it("has the message alone if the engine reports no position, or one after the statement", () => {
  for (const data of [{}, null, { position: 99 }, { position: "1" }])
    expect(errorText(failure(data), { sql: "select bad", line: 1 }, 80)).toBe(
      "error: no column bad (line 1, column 8)",
    );
});
