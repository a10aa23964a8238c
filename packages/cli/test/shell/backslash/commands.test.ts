import { expect, it } from "vitest";
import { shellCommandOf } from "../../../src/shell/backslash/commands.ts";

it.each([
  ["\\d cars", "d", "cars"],
  ['  \\d  "my table" ', "d", '"my table"'],
  ["\\q;", "q", ""],
  ["\\exit", "q", ""],
  ["\\set x  a  b", "set", "x  a  b"],
  ["\\?", "?", ""],
])("%s is \\%s with %j", (line, name, rest) => {
  const found = shellCommandOf(line);
  expect([found.command.names[0], found.rest]).toEqual([name, rest]);
});

it.each([
  ["\\wacth 5", "\\wacth; did you mean \\watch?"],
  ["\\formt csv", "\\formt; did you mean \\format?"],
  ["\\tim", "\\tim; did you mean \\timing?"],
  ["\\use samples", "\\use; did you mean \\source?"],
  ["\\d+ cars", "\\d+; did you mean \\d?"],
  ["\\zzzzzz", "\\zzzzzz; \\? lists the commands"],
  ["\\toString", "\\toString; \\? lists the commands"],
])("%s is unknown, and the error names the nearest command", (line, message) => {
  expect(() => shellCommandOf(line)).toThrow(`unknown command: ${message}`);
});

it.each([
  ["\\e", "edit a file in your editor, then run it with \\i file"],
  ["\\df sum", "Tab completes functions, and \\d lists tables"],
  ["\\g", "end the statement with a semicolon; \\last prints its result again"],
  ["\\! ls", "Ctrl-Z suspends the shell, and fg continues it"],
])("%s does not exist, and the error says what does", (line, message) => {
  expect(() => shellCommandOf(line)).toThrow(`no command: ${line.split(" ", 1)}; ${message}`);
});
