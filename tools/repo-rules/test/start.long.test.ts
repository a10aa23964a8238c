import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { cloneCheckout } from "../src/clone.ts";
import { root } from "../src/tree.ts";

const checkout = cloneCheckout();
const clone = checkout.folder;
chmodSync(clone, 0o700); // as root's home is in most images
const { QUERN_API_KEY: _key, QUERN_URL: _url, ...given } = process.env;
// The cache of the checkout has the built packages.
const environment = { ...given, TURBO_CACHE_DIR: join(root, ".turbo/cache") };
afterAll(() => checkout[Symbol.dispose]());

/** Tests that start processes as another user or without capabilities, or that count lines of the log. */
const testsOfUsers = [
  ...["processes/launch", "processes/user", "executor/users"].map((name) => `packages/duckdb/test/${name}.test.ts`),
  ...["common/data-directory", "telemetry/records"].map((name) => `packages/server/test/${name}.test.ts`),
];

const start = (...args: string[]) =>
  spawnSync("npm", ["start", "--silent", "--", ...args], { cwd: clone, encoding: "utf8", env: environment });

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
  it("prints the example's rows with `npm start -- --exit` on a free port if the port is in use, and downloads no Node where the own one fits", async () => {
    const taken = createServer().listen(0, "127.0.0.1");
    await once(taken, "listening");
    const address = taken.address();
    const port = typeof address === "object" ? address?.port : undefined;
    const started = performance.now();
    const result = start("--exit", "--port", `${port}`);
    console.log(`npm start -- --exit took ${((performance.now() - started) / 1000).toFixed(0)} s`);
    taken.close();
    expect(result.status, result.stderr).toBe(0);
    expect(result.stdout).toContain(`port in use: ${port}; the service listens on a free port`);
    expect(result.stdout).toMatch(/quern listening on http:\/\/127\.0\.0\.1:\d+/);
    expect(result.stdout).not.toContain(`127.0.0.1:${port}\n`);
    expect(result.stdout).toMatch(/USA\W+254\W+20\.1/);
    expect(result.stdout).toMatch(/Europe\W+73\W+27\.9/);
    expect(readdirSync(join(clone, ".toolchain")).filter((name) => name.startsWith("node"))).toEqual([]);
    const logged = result.stderr.split("\n").filter((line) => /^\{"level":"(?!info)/.test(line));
    const warning = '"level":"warn",.*Processes of statements have the user of the service, because the user id';
    // Only root starts processes of other users, which cannot read the packages here.
    expect(logged).toEqual(process.geteuid?.() === 0 ? [expect.stringMatching(warning)] : []);
    expect(result.stderr).not.toMatch(/"level":"error"|^ +at /m);
  });

  it("passes the tests of users, of processes and of the log in a folder that other users cannot enter", () => {
    // Other files of long tests have the processors, too.
    const patience = ["--maxWorkers=1", "--testTimeout=300000", "--hookTimeout=300000"];
    const words = ["tools/bootstrap/bootstrap.mjs", "vitest", "run", ...patience, ...testsOfUsers];
    const tests = spawnSync(process.execPath, words, { cwd: clone, encoding: "utf8", env: environment });
    expect(tests.status, `${tests.stdout}${tests.stderr}`).toBe(0);
    expect(tests.stdout).toMatch(/Tests .*\d passed/);
  });

  it.each([
    [["--port", "eighty"], 'invalid --port: expected a number, got "eighty"'],
    [["--prot", "8080"], "Unknown option '--prot'"],
  ])("tells an error as text: npm start -- %s", (args, message) => {
    const result = start("--exit", ...args);
    expect(result.status).not.toBe(0);
    expect(result.stderr).toContain(message);
    expect(result.stderr).not.toMatch(/^\{|^ +at /m);
  });

  it("packs the packages for another project with `npm run pack`", () => {
    const options = { encoding: "utf8", env: environment } as const;
    const packages = join(clone, "../quern packages of a clone");
    const project = join(packages, "project");
    try {
      const packed = spawnSync("npm", ["run", "--silent", "pack", "--", packages], { cwd: clone, ...options });
      expect(packed.status, packed.stderr).toBe(0);
      mkdirSync(project);
      const install = "npm init -y > init.txt && npm install --no-audit --no-fund --loglevel=error ../*.tgz vue@3";
      const installed = spawnSync(install, { cwd: project, shell: true, ...options });
      expect(installed.status, installed.stderr).toBe(0);
      const help = spawnSync("npx", ["--no", "quern", "mock", "--help"], { cwd: project, ...options });
      expect(help.stdout, help.stderr).toContain("Starts a mock service in memory");
    } finally {
      rmSync(packages, { recursive: true, force: true });
    }
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
    // A terminal signals all processes of the group at once.
    const ended = new Promise((resolve) => child.once("exit", resolve));
    if (child.pid !== undefined) process.kill(-child.pid, "SIGINT");
    await ended;
    await expect.poll(() => existsSync(join(clone, ".quern/quern.db-wal")), { timeout: 10_000 }).toBe(false);
  });
});
