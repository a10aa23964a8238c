import { describe, expect, it } from "vitest";
import { wrapped } from "../../src/output/wrap.ts";
import { quern, startQuern } from "../quern.ts";

const help = ["--help"];
const linesOf = (text: string) => text.trimEnd().split("\n");
/** The words of a text, and the backslashes of its wrapped commands left out. */
const wordsOf = (text: string) =>
  text
    .replaceAll(" \\\n", " ")
    .replaceAll(/\s+\|\s+/g, "|")
    .split(/\s+/);

describe("help on a terminal", () => {
  it.each([[["query"]], [["serve"]], [["sources", "add"]], [["create-query-run"]], [["keys"]], [[]]])(
    "of quern %j fits its width, and has all words",
    async (words) => {
      const { stdout: whole } = await quern([...words, ...help]);
      for (const columns of [60, 80, 120]) {
        const { stdout } = await startQuern([...words, ...help], {}, "", { columns }).ended;
        const isLong = (line: string) => line.length > columns && line.trim().replace(/ \\$/, "").includes(" ");
        expect(linesOf(stdout).filter(isLong)).toEqual([]);
        expect(wordsOf(stdout).filter((word) => word !== "#")).toEqual(wordsOf(whole).filter((word) => word !== "#"));
      }
    },
  );

  it("has 80 columns if the terminal or COLUMNS has 0", async () => {
    const longest = async (columns: number, env: Record<string, string>) => {
      const { stdout } = await startQuern(["query", ...help], env, "", { columns }).ended;
      return Math.max(...linesOf(stdout).map((line) => line.length));
    };
    const at80 = await longest(80, {});
    expect(at80).toBeGreaterThan(70);
    expect(at80).toBeLessThanOrEqual(80);
    expect(await longest(0, {})).toBe(at80);
    expect(await longest(200, { COLUMNS: "0" })).toBe(at80);
    expect(await longest(200, { COLUMNS: "80" })).toBe(at80);
    expect(await longest(0, { COLUMNS: "wide" })).toBe(at80);
    expect(await longest(200, {})).toBeGreaterThan(80);
  });

  it("has the width of COLUMNS in a pipe, too, and else whole lines", async () => {
    const narrow = await quern(["query", ...help], { COLUMNS: "50" });
    const whole = await quern(["query", ...help]);
    expect(linesOf(narrow.stdout).length).toBeGreaterThan(linesOf(whole.stdout).length);
    expect(Math.max(...linesOf(whole.stdout).map((line) => line.length))).toBeGreaterThan(120);
  });
});

it("texts stay below their start, and commands of examples stay commands", () => {
  const text = [
    "A text of several words.",
    "",
    "EXAMPLES",
    "  # Counts all the cars.",
    "  quern query 'select a from cars' --format csv",
    "",
    "FLAGS",
    "  -o [--output]  One two three four five six seven.   [default = a]",
    "     [--a-very-long-flag]  One two three four.",
  ].join("\n");
  expect(wrapped(text, 41).split("\n")).toEqual([
    "A text of several words.",
    "",
    "EXAMPLES",
    "  # Counts all the cars.",
    "  quern query 'select a from cars' \\",
    "    --format csv",
    "",
    "FLAGS",
    "  -o [--output]  One two three four five",
    "                 six seven. [default = a]",
    "     [--a-very-long-flag]",
    "         One two three four.",
  ]);
  expect(wrapped("EXAMPLES\n  quern query 'select a from cars'", 24)).toBe(
    "EXAMPLES\n  quern query 'select\n    a from cars'",
  );
});

it("a table on a terminal that reports 0 columns has 80", async () => {
  const { stdout } = await startQuern(["configuration"], {}, "", { columns: 0 }).ended;
  const at80 = await startQuern(["configuration"], {}, "", { columns: 80 }).ended;
  expect(stdout).toBe(at80.stdout);
  const columns = await startQuern(["configuration"], { COLUMNS: "80" }, "", { columns: 200 }).ended;
  expect(columns.stdout).toBe(at80.stdout);
});
