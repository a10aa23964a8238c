import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { cargoCache } from "../../../packages/s3/test/machine-cache.ts";
import { guideCode } from "./runners-guide.ts";
import { root } from "./tree.ts";

const runners = join(root, "tools/repo-rules/test/runners");

/** Test runner, and a project with the scenario and, except for MSW, the example of the guide. */
export interface Runner {
  readonly name: string;
  /** Command for `sh`. */
  readonly command: string;
  readonly folder: string;
  /** Output of the command if all of its tests pass. */
  readonly passes: RegExp;
  readonly env?: NodeJS.ProcessEnv;
  /** Program that this machine lacks. */
  readonly lacks?: string;
}

const has = (command: string, ...args: readonly string[]) => spawnSync(command, args).status === 0;
const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const chromium = [process.env.CHROMIUM ?? "", ...browsers].find((path) => existsSync(path));
const lacks = (program: string, found: boolean) => (found ? {} : { lacks: program });

/** Writes the files of a project, each from a text or as a copy of a file or folder, and returns the folder. */
function write(folder: string, files: Readonly<Record<string, { readonly text?: string; readonly copy?: string }>>) {
  for (const [name, { text, copy }] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    if (text !== undefined) writeFileSync(join(folder, name), text);
    if (copy !== undefined) cpSync(copy, join(folder, name), { recursive: true });
  }
  return folder;
}

/**
 * Returns the JavaScript test runners, and writes their tests and configurations.
 * @param project folder in which the runners and the packages of Quern are installed
 */
export function javaScriptRunners(project: string): readonly Runner[] {
  const [example = "", transform = ""] = guideCode("jest", "js");
  const [flagged = ""] = guideCode("jest", "sh");
  const [configuration = ""] = guideCode("jest", "json");
  const transformed = JSON.parse(configuration);
  const config = (tests: string, more: object) => ({
    text: JSON.stringify({
      rootDir: ".",
      testMatch: [`**/${tests}`],
      moduleFileExtensions: ["js", "cjs", "mjs", "json"],
      ...more,
    }),
  });
  write(project, {
    ".": { copy: runners },
    "vitest-guide.test.ts": { text: guideCode("vitest", "ts")[0] ?? "" },
    "node-guide.test.ts": { text: guideCode("node:test", "ts")[0] ?? "" },
    "remote-guide.test.ts": { text: guideCode("Share a mock between processes", "ts")[0] ?? "" },
    "playwright-guide.spec.ts": { text: guideCode("Playwright", "ts")[0] ?? "" },
    "jest-require-guide.test.cjs": { text: example },
    "jest-transform-guide.test.cjs": { text: example },
    "jest-esm-guide.test.mjs": { text: example.replace(/const ({.*}) = require\((.*)\)/g, "import $1 from $2") },
    "quern-transform.cjs": { text: transform },
    "jest-esm.json": config("jest-esm*.mjs", { transform: {} }),
    "jest-require.json": config("jest-require*.cjs", { transform: {} }),
    "jest-transform.json": config("jest-transform*.cjs", {
      ...transformed,
      // The scenario is an ES module too, so Jest must transform it.
      transform: { ...transformed.transform, "/scenario\\.mjs$": "./quern-transform.cjs" },
    }),
  });
  const jest = { folder: project, env: { NODE_ENV: "test" }, passes: /^Tests: +2 passed, 2 total/m };
  const node = { folder: project, passes: /^. pass 1$/m };
  const withFlag = flagged.trim();
  return [
    {
      name: "vitest",
      folder: project,
      passes: /Tests .*2 passed/,
      command: "npx vitest run vitest.test.mjs vitest-guide.test.ts",
    },
    { ...jest, name: "jest, ES modules", command: `${withFlag} --watchman=false --config jest-esm.json` },
    { ...jest, name: "jest, CommonJS", command: `${withFlag} --watchman=false --config jest-require.json` },
    {
      ...jest,
      name: "jest, CommonJS by a transform",
      command: "npx jest --watchman=false --config jest-transform.json",
    },
    {
      ...node,
      name: "node test",
      passes: /^. pass 3$/m,
      command: "node --test node.test.mjs node-guide.test.ts remote-guide.test.ts",
    },
    { ...node, name: "MSW msw", command: "node --test msw.test.mjs", env: { MSW: "msw" } },
    { ...node, name: "MSW msw-2", command: "node --test msw.test.mjs", env: { MSW: "msw-2" } },
    {
      name: "Playwright",
      folder: project,
      passes: /^ +2 passed/m,
      ...lacks("a Chromium", chromium !== undefined),
      command: "npx playwright test --reporter=list",
      env: { CHROMIUM: chromium },
    },
  ];
}

/**
 * Returns the test runners of other languages, and writes a project for each.
 * @param work folder for the projects
 */
export function otherRunners(work: string): readonly Runner[] {
  const ready = (name: string) => ({ copy: join(root, "examples/mock-clients", name) });
  const scenario = (name: string) => ({ copy: join(runners, name) });
  const guide = (heading: string, language: string) => ({ text: guideCode(heading, language)[0] ?? "" });
  const java = "src/test/java";
  return [
    {
      name: "pytest",
      passes: /\b2 passed/,
      ...lacks("python3 with pytest", has("python3", "-c", "import pytest")),
      command: "python3 -m pytest -p no:cacheprovider --capture=no",
      folder: write(join(work, "pytest"), {
        "conftest.py": ready("pytest/conftest.py"),
        "test_scenario.py": scenario("test_scenario.py"),
        "test_guide.py": guide("pytest", "python"),
      }),
    },
    {
      name: "Go",
      passes: /--- PASS: TestListsItsCars[\s\S]*--- PASS: TestScenario/,
      ...lacks("go", has("go", "version")),
      command: "go test -count=1 -v ./...",
      folder: write(join(work, "go"), {
        "go.mod": { text: "module example.com/cars\n\ngo 1.24\n" },
        quernmock: ready("go/quernmock"),
        "scenario_test.go": scenario("scenario_test.go"),
        "guide_test.go": guide("Go", "go"),
      }),
    },
    {
      name: "Java",
      passes: /Tests run: 2, Failures: 0, Errors: 0/,
      ...lacks("mvn", has("mvn", "-version")),
      command: "mvn --batch-mode --no-transfer-progress test",
      // Its programs end before code that was compiled twice is worth it.
      env: { MAVEN_OPTS: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC" },
      folder: write(join(work, "java"), {
        "pom.xml": { text: readFileSync(join(root, "examples/mock-clients/test/java/pom.xml"), "utf8") },
        [`${java}/QuernMock.java`]: ready("java/QuernMock.java"),
        [`${java}/ScenarioTest.java`]: scenario("ScenarioTest.java"),
        [`${java}/GuideTest.java`]: guide("JUnit 5", "java"),
      }),
    },
    {
      name: "Rust",
      passes: /1 passed[\s\S]*1 passed/,
      ...lacks("cargo", has("cargo", "--version")),
      env: cargoCache,
      command: `${guideCode("Rust", "sh")[0]?.trim().replaceAll("\n", " && ")} && cargo test --tests`,
      folder: write(join(work, "rust"), {
        "Cargo.toml": { text: '[package]\nname = "cars"\nversion = "0.0.0"\nedition = "2021"\n' },
        "src/lib.rs": { text: "" },
        "tests/quern_mock/mod.rs": ready("rust/quern_mock.rs"),
        "tests/scenario.rs": scenario("scenario.rs"),
        "tests/guide.rs": guide("Rust", "rust"),
      }),
    },
  ];
}
