// `npm test` (quick), `npm run test:long` (long) and `npm run test:browser` (the long tests of examples, most of which need
// Chromium): runs all checks, prints the command that repeats each failed check, and ends with one total.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

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
    tests: ["vitest", "run", "--mode", "long", "examples", ...reporters],
  },
};

let passed = 0;
let failed = 0;
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
  const { numPassedTests, numFailedTests } = JSON.parse(readFileSync(report, "utf8"));
  passed += numPassedTests;
  failed += numFailedTests;
} catch {
  // Without a report vitest itself has failed, which is counted above.
}
rmSync(reportFolder, { recursive: true, force: true });

if (broken.length > 0) console.log(`\nto repeat a failed check:\n  ${broken.join("\n  ")}`);
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 ? 0 : 1);
