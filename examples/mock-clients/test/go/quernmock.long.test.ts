import { rmSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has, mockCommand, projectOf, runTests } from "../ready-file.ts";

if (!has("go", "version")) {
  it.skip("quernmock.go does not run here: the machine lacks go"); // as its name says
} else {
  const project = projectOf({
    "go/quernmock/quernmock.go": "quernmock/quernmock.go",
    "test/go/go.mod": "go.mod",
    "test/go/cars_test.go": "cars_test.go",
  });
  afterAll(() => rmSync(project, { recursive: true }));
  const goTest = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
    runTests(project, "go", ["test", "-count=1", "-v", ...args, "./..."], env);

  describe("quernmock.go", () => {
    let outcome: ReturnType<typeof runTests>;
    beforeAll(() => {
      outcome = goTest({ QUERN_MOCK: mockCommand });
    });

    it("gives each test its own mock", () => {
      const ended = [...outcome.text.matchAll(/^--- (PASS|FAIL): (\w+)/gm)].map(([, how, name]) => `${name} ${how}`);
      expect(ended.sort(), outcome.text).toEqual([
        "TestBadContractViolation FAIL",
        "TestBadFault FAIL",
        "TestBadMethod FAIL",
        "TestBadStatement FAIL",
        "TestBadStub FAIL",
        "TestGoodFault PASS",
        "TestGoodRefusal PASS",
        "TestGoodReset PASS",
        "TestGoodRows PASS",
        "TestGoodSequence PASS",
        "TestGoodTime PASS",
      ]);
    });

    it.each([
      ["an unused stub", 'unused stub: when("select nothing") matched no statement; remove it, or correct its matcher'],
      ["a statement", 'no stub matches "select name from trucks"; the nearest is when("select name from cars")'],
      [
        "a contract violation",
        'contract violation in the answer to createQueryRun({"sql":"select 1"}) by when("select 1")',
      ],
      ["a fault", 'the fault {"status":503} of listQueryRuns was applied to no call'],
      ["a misspelt method", 'unknown method "getQueryRuns"; did you mean getQueryRun?'],
      ["a misspelt member", "/params/0/row: expected no such member; did you mean rows?"],
    ])("reports the problem: %s", (_, text) => expect(outcome.text).toContain(text));

    it("reports what to do if no mock starts", () => {
      const { status, text } = goTest({ QUERN_MOCK: "no-such-command" }, "-run", "GoodRows");
      expect(status).toBe(1);
      expect(text).toMatch(
        /cannot start \["no-such-command".*install @quern\/cli .* set QUERN_MOCK to a command, or QUERN_MOCK_URL/,
      );
    });
  });
}
