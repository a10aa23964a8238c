import { expect, it } from "vitest";
import { createStatementInput, historyEntries } from "../../src/shell/statement-input.ts";

/** Pushes lines, and returns what each one completes and the sign of the prompt after it. */
function pushed(...lines: readonly string[]) {
  const input = createStatementInput();
  return lines.map((line) => {
    const entries = input.push(line).map((entry) => (entry.kind === "statement" ? entry.sql : entry.text));
    return [...entries, input.sign];
  });
}

it.each([
  [["select 1;"], [["select 1;", "="]]],
  [
    ["select", "1", ";"],
    [["-"], ["-"], ["select\n1\n;", "="]],
  ],
  [["select 1; select 2; select"], [["select 1", "select 2", "-"]]],
  [
    ["select 'a;", "b';"],
    [["'"], ["select 'a;\nb';", "="]],
  ],
  [
    ["select 'it''s;", "'", ";"],
    [["'"], ["-"], ["select 'it''s;\n'\n;", "="]],
  ],
  [
    ["select e'\\';", "';"],
    [["'"], ["select e'\\';\n';", "="]],
  ],
  [
    ['select 1 as "a;', '"";";'],
    [['"'], ['select 1 as "a;\n"";";', "="]],
  ],
  [
    ["select `a;", "`;"],
    [["`"], ["select `a;\n`;", "="]],
  ],
  [
    ["select $$a;", "$x$ ' $$;"],
    [["$"], ["select $$a;\n$x$ ' $$;", "="]],
  ],
  [
    ["select $x$ $$ ;", "$x$;"],
    [["$"], ["select $x$ $$ ;\n$x$;", "="]],
  ],
  [
    ["select /* a;", "/* b */ ;", "*/ 1;"],
    [["*"], ["*"], ["select /* a;\n/* b */ ;\n*/ 1;", "="]],
  ],
  [
    ["select (1", "+ 2);"],
    [["("], ["select (1\n+ 2);", "="]],
  ],
  [
    ["-- only; a comment", "select 1 -- a;", ";"],
    [["="], ["-"], ["select 1 -- a;\n;", "="]],
  ],
  [
    [" ", ";", ";;"],
    [["="], ["="], ["="]],
  ],
  [
    ["\\d cars", " \\x"],
    [
      ["\\d cars", "="],
      ["\\x", "="],
    ],
  ],
  [
    ["select 1", "\\x", ";"],
    [["-"], ["\\x", "-"], ["select 1\n;", "="]],
  ],
  [
    ["select '", "\\x", "';"],
    [["'"], ["'"], ["select '\n\\x\n';", "="]],
  ],
  [["exit"], [["\\exit", "="]]],
  [["Quit ;"], [["\\quit", "="]]],
  [["help"], [["\\help", "="]]],
  [
    ["select", "help;"],
    [["-"], ["select\nhelp;", "="]],
  ],
] as const)("%j gives %j", (lines, expected) => {
  expect(pushed(...lines)).toEqual(expected);
});

it("numbers the lines of a script, keeps its line ends, and needs no semicolon at its end", () => {
  const input = createStatementInput();
  const lines = ["-- one", "select 1;", "", "select 'a", "b'; select 2;", "\\d", "select 3"];
  const entries = [...lines.flatMap((line) => input.push(line, "\r\n")), ...input.rest()];
  expect(entries).toEqual([
    { kind: "statement", sql: "select 1;", line: 2 },
    { kind: "statement", sql: "select 'a\r\nb'", line: 4 },
    { kind: "statement", sql: "select 2", line: 5 },
    { kind: "command", text: "\\d", line: 6 },
    { kind: "statement", sql: "select 3", line: 7 },
  ]);
  expect(input.rest()).toEqual([]);
});

it.each([
  [["select", "  1", "", "  ;"], ["select 1 ;"]],
  [
    ["select 'a", "b';"],
    ["select 'a", "b';"],
  ],
  [
    ["select 1 -- one", ";"],
    ["select 1 -- one", ";"],
  ],
  [["select (1", "+ 2);"], ["select (1 + 2);"]],
] as const)("the history has %j as %j", (lines, entries) => {
  expect(historyEntries(lines)).toEqual(entries);
});
