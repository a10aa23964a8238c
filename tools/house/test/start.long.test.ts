import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../src/tree.ts";

const clone = mkdtempSync(join(tmpdir(), "quern clone "));
const { QUERN_API_KEY: _key, QUERN_URL: _url, ...environment } = process.env;

beforeAll(() => {
  expect(spawnSync("git", ["clone", "--quiet", root, clone], { encoding: "utf8" }).stderr).toBe("");
});
afterAll(() => rmSync(clone, { recursive: true, force: true }));

function printed(child: ChildProcess, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    let seen = "";
    child.stdout?.on("data", (chunk) => {
      seen += chunk;
      if (seen.includes(text)) resolve();
    });
    child.once("exit", () => reject(new Error(`it ended after: ${seen}`)));
  });
}

describe("a fresh clone", () => {
  it("prints the example's rows with `npm start -- --exit`, and downloads no Node where the own one fits", () => {
    const started = performance.now();
    const result = spawnSync("npm", ["start", "--silent", "--", "--exit", "--port", "0"], {
      cwd: clone,
      encoding: "utf8",
      env: environment,
    });
    console.log(`npm start -- --exit took ${((performance.now() - started) / 1000).toFixed(0)} s`);
    expect(result.status, result.stderr).toBe(0);
    expect(result.stdout).toMatch(/quern listening on http:\/\/127\.0\.0\.1:\d+/);
    expect(result.stdout).toMatch(/USA\W+254\W+20\.1/);
    expect(result.stdout).toMatch(/Europe\W+73\W+27\.9/);
    expect(readdirSync(join(clone, ".toolchain")).filter((name) => name.startsWith("node"))).toEqual([]);
  });

  it("keeps serving with `npm start`, until one Ctrl-C closes the service", async () => {
    const child = spawn("npm", ["start", "--silent", "--", "--port", "0"], {
      cwd: clone,
      detached: true,
      env: environment,
      stdio: ["ignore", "pipe", "inherit"],
    });
    await printed(child, "The service keeps running");
    expect(existsSync(join(clone, ".quern/quern.db-wal"))).toBe(true);
    // As a terminal does: to all processes of the group at once.
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
    await ended;
    await expect.poll(() => existsSync(join(clone, ".quern/quern.db-wal")), { timeout: 10_000 }).toBe(false);
  });
});
