import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { expect, it } from "vitest";

it("loads no engine into the process of the service", async () => {
  const program = `await import("@quern/server");
    const { sharedObjects } = process.report.getReport();
    console.log(sharedObjects.filter((path) => path.includes("duckdb")).length);`;
  const options = { cwd: import.meta.dirname };
  const { stdout } = await promisify(execFile)(process.execPath, ["--input-type=module", "--eval", program], options);
  expect(stdout).toBe("0\n");
});
