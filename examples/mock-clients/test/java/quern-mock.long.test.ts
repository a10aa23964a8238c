import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { has, mockCommand, projectOf, runTests } from "../ready-file.ts";

if (!has("mvn", "-version")) {
  it.skip("QuernMock.java does not run here: the machine lacks mvn"); // as its name says
} else {
  const project = projectOf({
    "java/QuernMock.java": "src/test/java/QuernMock.java",
    "test/java/pom.xml": "pom.xml",
    "test/java/CarsTest.java": "src/test/java/CarsTest.java",
  });
  afterAll(() => rmSync(project, { recursive: true }));
  const mvnTest = (env: NodeJS.ProcessEnv, ...args: readonly string[]) =>
    runTests(project, "mvn", ["--batch-mode", "--no-transfer-progress", ...args, "test"], env);
  const report = () => readFileSync(join(project, "target/surefire-reports/TEST-CarsTest.xml"), "utf8");

  describe("QuernMock.java", () => {
    let text: string;
    beforeAll(() => {
      ({ text } = mvnTest({ QUERN_MOCK: mockCommand }));
    });

    it("gives each test its own mock", () => {
      const cases = report()
        .split("<testcase ")
        .slice(1)
        .map((one) => `${one.match(/name="(\w+)/)?.[1]} ${/<(failure|error)\b/.test(one) ? "FAIL" : "PASS"}`);
      expect(cases.sort(), text).toEqual([
        "badContractViolation FAIL",
        "badFault FAIL",
        "badMethod FAIL",
        "badStatement FAIL",
        "badStub FAIL",
        "goodFault PASS",
        "goodRefusal PASS",
        "goodReset PASS",
        "goodRows PASS",
        "goodSequence PASS",
        "goodTime PASS",
      ]);
    });

    it.each([
      ["an unused stub", /unused stub in goodSequence.*: when\("select nothing"\) matched no statement; remove it/],
      ["a statement", /no stub matches "select name from trucks"; the nearest is when\("select name from cars"\)/],
      [
        "a contract violation",
        /contract violation in the answer to createQueryRun\({"sql":"select 1"}\) by when\("select 1"\)/,
      ],
      ["a fault", /the fault {"status":503} of listQueryRuns was applied to no call/],
      ["a misspelt method", /unknown method "getQueryRuns"; did you mean getQueryRun\?/],
      ["a misspelt member", /\/params\/0\/row: expected no such member; did you mean rows\?/],
    ])("reports the problem: %s", (_, pattern) => expect(text).toMatch(pattern));

    it("reports what to do if no mock starts", () => {
      const { status, text } = mvnTest({ QUERN_MOCK: "no-such-command" }, "-Dtest=CarsTest#goodRows");
      expect(status).toBe(1);
      expect(text).toMatch(/cannot start \[no-such-command.*set QUERN_MOCK to a command, or QUERN_MOCK_URL/);
    });
  });
}
