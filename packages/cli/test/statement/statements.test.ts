import { expect, it } from "vitest";
import { withQueryCommand } from "../../src/statement/query-words.ts";
import { statementsOf } from "../../src/statement/statements.ts";

it.each([
  ["select 1; select 2", ["select 1", "select 2"]],
  ["select 1;\r\n\r\nselect 2;\r\n", ["select 1", "select 2"]],
  ["select ';'; select 2", ["select ';'", "select 2"]],
  ["select 'it''s; '; select 2", ["select 'it''s; '", "select 2"]],
  ["select e'\\';'; select 2", ["select e'\\';'", "select 2"]],
  ['select 1 as "a;""b"; select 2', ['select 1 as "a;""b"', "select 2"]],
  ["select `a;b`; select 2", ["select `a;b`", "select 2"]],
  ["select $$a;b$$; select $q$;$$;$q$", ["select $$a;b$$", "select $q$;$$;$q$"]],
  ["select $1; select $2", ["select $1", "select $2"]],
  ["select a$b$; select c$b$", ["select a$b$", "select c$b$"]],
  ["-- a; b\nselect 1; -- c; d\r\n;;select 2 /* ; /* ; */ ; */", ["select 1", "select 2"]],
  ["select /* ; */ 1; select 2 -- end", ["select /* ; */ 1", "select 2"]],
  // A text without its end reaches to the end of the file.
  ["select 1; select 'a; select 2", ["select 1", "select 'a; select 2"]],
  ["select 1; select /* a; select 2", ["select 1", "select"]],
  // One statement stays as it is.
  ["-- a\nselect 1; -- b", ["-- a\nselect 1; -- b"]],
  // Engines disagree on where this string ends, so the service gets the whole text.
  ["select 'it\\'; select 2; --'", ["select 'it\\'; select 2; --'"]],
  ["-- only a comment", []],
  [" ; ; ", []],
])("%j has the statements %j", (text, statements) => {
  expect(statementsOf(text).map(({ sql }) => sql)).toEqual(statements);
});

it("knows the line of each statement, with the line ends of any system", () => {
  const text = "-- report\r\nselect 1;\r\n\r\nselect\r\n2;\nselect 3;\rselect 4";
  expect(statementsOf(text).map(({ line }) => line)).toEqual([2, 4, 6, 7]);
});

it.each([
  ["select 1"],
  ["  (SELECT 1) union all select 2"],
  ["from cars"],
  ["with a as (select 1) from a"],
  ["values (1)"],
  ["table cars"],
  ["desc cars"],
  ["select\n1"],
  ["-c", "frobnicate"],
  ["--command=select 1"],
  ["--file", "report.sql"],
  ["--csv", "select 1"],
  ["-f", "report.sql"],
  ["-At", "select 1"],
  ["-x", "--", "select 1"],
  ["-- cars\nselect 1"],
  ["/* cars */ insert into cars"],
])("%j are words of quern query", (...words) => {
  expect(withQueryCommand(words)).toEqual(["query", ...words]);
});

it.each([
  ["select"],
  ["select", "1"],
  ["selection of cars"],
  ["show-all tables"],
  ["drop table cars"],
  ["runs", "list", "--text", "select 1"],
  ["--help", "select 1"],
  ["--version"],
  ["--json", "runs"],
  ["-- cars"],
  ["--csv"],
])("%j are not words of quern query", (...words) => {
  expect(withQueryCommand(words)).toEqual(words);
});

it.each([
  [["--csv"], true],
  [["-At", "--null", "-"], true],
  [["-F", "csv", "--max-rows=2"], true],
  [["--csv", "tables"], false],
  [["--csvs"], false],
  [["tables"], false],
  [[], false],
])("%j with a pipe on stdin are words of quern query: %j", (words, isQuery) => {
  expect(withQueryCommand(words, () => true)).toEqual(isQuery ? ["query", ...words] : words);
});

it.each([[["-Atc", "select 1"]], [["query", "-Atc", "select 1"]]])(
  "%j has the short form of a flag with a value",
  (words) => {
    expect(withQueryCommand(words)).toEqual(["query", "-At", "-c", "select 1"]);
  },
);
