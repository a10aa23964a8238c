import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { cargoCache } from "../../../../packages/s3/test/machine-cache.ts";
import { has, mockCommand, projectOf, runTests } from "../ready-file.ts";

if (!has("cargo", "--version")) {
  it.skip("quern_mock.rs does not run here: the machine lacks cargo"); // as its name says
} else {
  const project = projectOf({
    "rust/quern_mock.rs": "tests/quern_mock/mod.rs",
    "test/rust/Cargo.toml": "Cargo.toml",
    "test/rust/cars.rs": "tests/cars.rs",
  });
  afterAll(() => rmSync(project, { recursive: true }));
  const cargoTest = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
    runTests(project, "cargo", ["test", "--test", "cars", "--", "--show-output", ...args], { ...cargoCache, ...env });

  describe("quern_mock.rs", () => {
    let outcome: ReturnType<typeof runTests>;
    beforeAll(() => {
      outcome = cargoTest({ QUERN_MOCK: mockCommand });
    });

    it("gives each test its own mock", () => {
      const total = outcome.text.match(/\d+ passed; \d+ failed/)?.[0];
      const failed = [...(outcome.text.split("\nfailures:\n").at(-1) ?? "").matchAll(/^ {4}(\w+)$/gm)];
      expect([total, failed.map(([, name]) => name).sort()], outcome.text).toEqual([
        "6 passed; 6 failed",
        ["bad_assertion", "bad_contract_violation", "bad_fault", "bad_method", "bad_statement", "bad_stub"],
      ]);
    });

    it.each([
      ["an unused stub", 'unused stub: when("select nothing") matched no statement; remove it, or correct its matcher'],
      ["a statement", 'no stub matches "select name from trucks"; the nearest is when("select name from cars")'],
      ["a statement of a test that fails otherwise", 'no stub matches "select 2"'],
      [
        "a contract violation",
        'contract violation in the answer to createQueryRun({"sql":"select 1"}) by when("select 1")',
      ],
      ["a fault", 'the fault {"status":503} of listQueryRuns was applied to no call'],
      ["a misspelt method", 'unknown method "getQueryRuns"; did you mean getQueryRun?'],
      ["a misspelt member", "/params/0/row: expected no such member; did you mean rows?"],
    ])("reports the problem: %s", (_, text) => expect(outcome.text).toContain(text));

    it("reports what to do if no mock starts", () => {
      const { status, text } = cargoTest({ QUERN_MOCK: "no-such-command" }, "good_rows");
      expect(status).toBe(101);
      expect(text).toMatch(/cannot start "no-such-command".*set QUERN_MOCK to a command, or QUERN_MOCK_URL/);
    });
  });
}
