import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { root } from "../src/tree.ts";

const clone = mkdtempSync(join(tmpdir(), "quern clone "));
afterAll(() => rmSync(clone, { recursive: true, force: true }));

describe("a fresh clone", () => {
  it("prints the example's rows with `npm start -- --exit`", () => {
    expect(spawnSync("git", ["clone", "--quiet", root, clone], { encoding: "utf8" }).stderr).toBe("");
    const { QUERN_API_KEY: _, QUERN_URL: __, ...environment } = process.env;
    const result = spawnSync("npm", ["start", "--silent", "--", "--exit", "--port", "0"], {
      cwd: clone,
      encoding: "utf8",
      env: environment,
    });
    expect(result.status, result.stderr).toBe(0);
    expect(result.stdout).toMatch(/quern listening on http:\/\/127\.0\.0\.1:\d+/);
    expect(result.stdout).toMatch(/USA\W+254\W+20\.1/);
    expect(result.stdout).toMatch(/Europe\W+73\W+27\.9/);
  });
});
