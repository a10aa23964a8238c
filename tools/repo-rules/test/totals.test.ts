import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { root } from "../src/tree.ts";

/** Runs a command of the repository with stand-ins for the programs that it calls. Returns the lines of its output. */
function linesOf(command: string, args: readonly string[], programs: Readonly<Record<string, string>>): string[] {
  const folder = mkdtempSync(join(tmpdir(), "quern-totals-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, code] of Object.entries(programs))
    writeFileSync(join(folder, name), `#!${process.execPath}\n${code}`, { mode: 0o755 });
  const env = { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}` };
  return spawnSync(command, args, { cwd: root, env, encoding: "utf8" }).stdout.trimEnd().split("\n");
}

/** Writes a report as vitest does. */
const vitest = (statuses: readonly string[]): string => `
const results = ${JSON.stringify(statuses)}.map((status, n) => ({
  status, fullName: " group test " + n, failureMessages: status === "failed" ? ["Error: full\\n    at line 1"] : [],
}));
const count = (status) => results.filter((each) => each.status === status).length;
const option = "--outputFile.json=";
const file = process.argv.find((word) => word.startsWith(option)).slice(option.length);
require("node:fs").writeFileSync(file, JSON.stringify({
  numPassedTests: count("passed"), numFailedTests: count("failed"), testResults: [{ name: process.cwd() + "/a.test.ts", message: "", assertionResults: results }],
}));`;

const posix = it.skipIf(process.platform === "win32"); // the stand-ins are scripts with an interpreter

posix("the test commands name the tests that did not run in one line, before the total", () => {
  const lines = (statuses: readonly string[]) =>
    linesOf(process.execPath, ["tools/bootstrap/test.mjs", "browser"], { turbo: "", vitest: vitest(statuses) });
  expect(lines(["passed", "skipped", "passed", "todo"]).slice(-2)).toEqual([
    "2 not run: group test 1; group test 3",
    "4 passed, 0 failed", // two tests and two checks
  ]);
  expect(lines(["passed"]).slice(-2)).toEqual(["0 not run", "3 passed, 0 failed"]);
});

posix("the test commands name the failed tests, each with the first line of its error", () => {
  const programs = { turbo: "", vitest: vitest(["passed", "failed"]) };
  const lines = linesOf(process.execPath, ["tools/bootstrap/test.mjs", "browser"], programs);
  expect(lines.slice(-4, -1)).toEqual(["failed tests:", "  a.test.ts: group test 1: Error: full", "0 not run"]);
  expect(lines.at(-1)).toBe("3 passed, 1 failed");
});

posix("the command of CI adds up the tests that did not run, before the total", () => {
  const npm = `
  const long = process.argv.includes("test:long");
  console.log(long ? "3 not run: a; b; c\\n20 passed, 1 failed" : "2 not run: d; e\\n10 passed, 0 failed");`;
  expect(linesOf("bash", [".ci/run"], { npm }).slice(-2)).toEqual(["5 not run", "30 passed, 1 failed"]);
  const old = `console.log("10 passed, 0 failed")`;
  expect(linesOf("bash", [".ci/run"], { npm: old }).slice(-2)).toEqual(["0 not run", "20 passed, 0 failed"]);
});
