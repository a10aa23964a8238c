import { spawnSync } from "node:child_process";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const path = (name: string) => fileURLToPath(new URL(name, import.meta.url));
const hasPytest = spawnSync("python3", ["-c", "import pytest"]).status === 0;

if (!hasPytest) {
  it.skip("conftest.py does not run here: the machine lacks python3 with pytest"); // as its name says
} else {
  const folder = mkdtempSync(join(tmpdir(), "quern-pytest-"));
  afterAll(() => rmSync(folder, { recursive: true }));
  cpSync(path("../../pytest/conftest.py"), join(folder, "conftest.py"));
  cpSync(path("test_quern.py"), join(folder, "test_quern.py"));

  const pytest = (...args: readonly string[]) =>
    spawnSync("python3", ["-m", "pytest", "-p", "no:cacheprovider", "--tb=short", ...args, folder], {
      encoding: "utf8",
      cwd: folder,
      env: {
        ...process.env,
        PYTHONDONTWRITEBYTECODE: "1",
        QUERN_MOCK: `${process.execPath} ${path("../../../../packages/cli/bin/quern.js")} mock`,
      },
    });

  describe("conftest.py", () => {
    it("gives each test its own mock", () => {
      const { status, stdout } = pytest("-k", "good");
      expect({ status, stdout }).toEqual({
        status: 0,
        stdout: expect.stringMatching(/7 passed, 3 deselected, 1 warning/),
      });
      expect(stdout).toMatch(/UserWarning: unused stub: when\("select nothing"\) matched no statement; remove it/);
    });

    it("fails a test with a statement without a stub", () => {
      const { status, stdout } = pytest("-k", "bad_statement");
      expect(status).toBe(1);
      expect(stdout).toMatch(
        /no stub matches "select name from trucks"; the nearest is when\("select name from cars"\)/,
      );
    });

    it("reports the contract violations of a test that fails", () => {
      const { status, stdout } = pytest("-k", "bad_contract_violation");
      expect(status).toBe(1);
      expect(stdout).toContain(
        'contract violation in the answer to createQueryRun({"sql":"select 1"}) by when("select 1")',
      );
    });

    it("fails a test with an unused fault", () => {
      const { status, stdout } = pytest("-k", "bad_fault");
      expect({ status, stdout }).toEqual({
        status: 1,
        stdout: expect.stringContaining('the fault {"status":503} of listQueryRuns was applied to no call'),
      });
    });
  });
}
