// `npm test` (quick), `npm run test:long` (long), `npm run test:browser` (the long tests of examples and the console, most of which need
// Chromium) and `npm run test:trino` (the long tests of Trino, on a cluster of the newest server that Maven has): runs all
// checks, prints the failed tests, the command that repeats each failed check and the tests that did not run, and ends with
// one total.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

const suite = process.argv[2];
const reportFolder = mkdtempSync(join(tmpdir(), "quern-test-"));
const report = join(reportFolder, "vitest.json");
const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${report}`];
const CHECKS = {
  quick: {
    build: ["turbo", "run", "build", "--output-logs=errors-only"],
    generated: ["node", "tools/generator/src/main.ts", "--check"],
    types: ["tsc", "--project", "tsconfig.json"],
    lint: ["biome", "ci", "--diagnostic-level=error"],
    unused: ["knip", "--no-progress"],
    tests: ["vitest", "run", ...reporters],
  },
  long: {
    build: ["turbo", "run", "build", "--output-logs=errors-only"],
    tests: ["vitest", "run", "--mode", "long", ...reporters],
  },
  browser: {
    build: ["turbo", "run", "build", "--output-logs=errors-only"],
    tests: ["vitest", "run", "--mode", "long", "examples", "packages/console", ...reporters],
  },
  trino: {
    build: ["turbo", "run", "build", "--output-logs=errors-only"],
    // One cluster at a time.
    tests: ["vitest", "run", "--mode", "long", "trino", "--no-file-parallelism", ...reporters],
  },
};
if (suite === "trino") process.env.TEST_TRINO_VERSION = "476";

/** States of vitest's JSON report. */
const notRunStates = ["skipped", "pending", "todo", "disabled"];

/** The failed tests of a file of vitest's JSON report, each in one line with the first line of its error. */
function failuresOf({ name, message, assertionResults }) {
  const failed = assertionResults.filter(({ status }) => status === "failed");
  const all = failed.map((each) => [each.fullName.trim(), each.failureMessages?.[0] ?? ""]);
  if (message) all.push(["the file", message]);
  return all.map(([test, error]) => `${relative(".", name)}: ${test}: ${error.split("\n")[0]}`);
}

let passed = 0;
let failed = 0;
let failures = [];
let notRun = [];
const broken = [];
for (const [name, [command, ...args]] of Object.entries(CHECKS[suite])) {
  const started = performance.now();
  const { status } = spawnSync(command, args, { stdio: "inherit", shell: process.platform === "win32" });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  console.log(`${status === 0 ? "ok" : "FAILED"}  ${name}  ${seconds} s`);
  if (status === 0) passed += 1;
  else {
    failed += 1;
    broken.push(
      `${name}: node tools/bootstrap/bootstrap.mjs ${[command, ...args.filter((arg) => !reporters.includes(arg))].join(" ")}`,
    );
  }
  if (name === "build" && status !== 0) break;
}
try {
  const { numPassedTests, numFailedTests, testResults } = JSON.parse(readFileSync(report, "utf8"));
  passed += numPassedTests;
  failed += numFailedTests;
  failures = testResults.flatMap(failuresOf);
  notRun = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => notRunStates.includes(status)).map(({ fullName }) => fullName.trim()),
  );
} catch {
  // Without a report vitest itself has failed, which is counted above.
}
rmSync(reportFolder, { recursive: true, force: true });

if (failures.length > 0) console.log(`\nfailed tests:\n  ${failures.join("\n  ")}`);
if (broken.length > 0) console.log(`\nto repeat a failed check:\n  ${broken.join("\n  ")}`);
// The name of a test that a machine cannot run has the reason, or vitest has printed it beside the name.
console.log(`${notRun.length} not run${notRun.length > 0 ? `: ${notRun.join("; ")}` : ""}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
