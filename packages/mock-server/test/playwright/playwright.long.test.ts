import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const places = [process.env.CHROMIUM ?? "", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const chromium = places.find((path) => existsSync(path));

interface Spec {
  readonly title: string;
  readonly ok: boolean;
  readonly tests: readonly {
    readonly results: readonly { readonly errors: readonly { readonly message: string }[] }[];
  }[];
}

interface Suite {
  readonly suites?: readonly Suite[];
  readonly specs?: readonly Spec[];
}

const specsOf = ({ suites = [], specs = [] }: Suite): readonly Spec[] => [...specs, ...suites.flatMap(specsOf)];

if (chromium === undefined) {
  it.skip("the fixture for Playwright does not run here: the machine lacks a Chromium"); // as its name says
} else {
  describe("the fixture for Playwright", () => {
    const output = mkdtempSync(join(tmpdir(), "quern-playwright-"));
    afterAll(() => rmSync(output, { recursive: true }));
    let specs: readonly Spec[];
    beforeAll(() => {
      const cli = createRequire(import.meta.url).resolve("@playwright/test/cli");
      const { stdout, stderr } = spawnSync(process.execPath, [cli, "test", "--output", output], {
        cwd: import.meta.dirname,
        encoding: "utf8",
        env: { ...process.env, CHROMIUM: chromium, NODE_OPTIONS: "" },
      });
      if (!stdout.startsWith("{")) throw new Error(stdout + stderr);
      specs = specsOf(JSON.parse(stdout));
    });

    it("passes tests without problems, and fails others", () => {
      const outcomes = specs.map(({ title, ok }) => `${title}: ${ok ? "passed" : "failed"}`);
      expect(outcomes.sort()).toEqual([
        "a page reaches the mock by its address: passed",
        "a page reaches the mock by its route: passed",
        "bad fault: failed",
        "bad statement: failed",
        "faults reach the page: passed",
      ]);
    });

    it.each([
      ["bad statement", 'no stub matches "select 2"; the nearest is when("select 1")'],
      ["bad fault", 'the fault {"status":503} of listQueryRuns was applied to no call'],
    ])("reports the problem: %s", (wanted, message) => {
      const { tests = [] } = specs.find(({ title }) => title === wanted) ?? {};
      const errors = tests.flatMap(({ results }) => results.flatMap(({ errors }) => errors.map((one) => one.message)));
      expect(errors.join("\n")).toContain(message);
    });
  });
}
