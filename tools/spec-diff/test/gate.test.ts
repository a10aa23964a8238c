import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { runProgram } from "../src/program.ts";
import { checkout } from "../src/release/released.ts";

const packages = ["@quern/client", "@quern/spec"];
const string = { type: "string" };
/** A document of one method, whose result has members. */
const documentWith = (properties: object, description = "Runs.") => ({
  openrpc: "1.3.2",
  info: { title: "Quern", version: "1.0.0" },
  methods: [
    { name: "run", description, params: [], result: { name: "result", schema: { type: "object", properties } } },
  ],
});
const before = documentWith({ id: string });
const withoutId = documentWith({});
const withState = documentWith({ id: string, state: string });
const reworded = documentWith({ id: string }, "Runs a statement.");

/** A Git repository of two packages with one version. */
function createRepository() {
  const root = mkdtempSync(join(tmpdir(), "quern spec-diff-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const git = (...args: string[]) => {
    const identity = ["-c", "user.name=Test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"];
    const { status, stderr } = spawnSync("git", [...identity, ...args], { cwd: root, encoding: "utf8" });
    expect(status, stderr).toBe(0);
  };
  const write = (path: string, value: unknown) => {
    mkdirSync(join(root, path, ".."), { recursive: true });
    writeFileSync(join(root, path), typeof value === "string" ? value : `${JSON.stringify(value, null, 2)}\n`);
  };
  const clearChangesets = () => {
    for (const name of readdirSync(join(root, ".changeset")))
      if (name.endsWith(".md")) rmSync(join(root, ".changeset", name));
  };
  git("init", "--quiet", "--initial-branch=main");
  write("package.json", { name: "workspace", private: true, workspaces: ["spec", "packages/*"] });
  write("package-lock.json", {});
  write(".changeset/config.json", { fixed: [packages], baseBranch: "main", access: "public" });
  return {
    /** Commits a step of the history. Returns what the check prints there, after its exit code. */
    async commit(step: {
      readonly version?: string;
      readonly document?: unknown;
      /** Size of the only changeset, which names the client. `none` removes all. */
      readonly changeset?: "major" | "minor" | "patch" | "none";
      readonly released?: readonly [version: string, document: unknown];
    }): Promise<string> {
      if (step.version !== undefined)
        for (const name of packages)
          write(`${name === "@quern/spec" ? "spec" : "packages/client"}/package.json`, { name, version: step.version });
      if (step.document !== undefined) write("spec/openrpc.json", step.document);
      if (step.changeset !== undefined) clearChangesets();
      if (step.changeset !== undefined && step.changeset !== "none")
        write(".changeset/one.md", `---\n"@quern/client": ${step.changeset}\n---\n\nA change.\n`);
      if (step.released !== undefined) write(`spec/released/${step.released[0]}.json`, step.released[1]);
      git("add", ".");
      git("commit", "--quiet", "--allow-empty", "--message", "A step");
      return run("check");
    },
    run,
  };

  async function run(...args: string[]): Promise<string> {
    const lines: string[] = [];
    const output = { log: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
    const code = await runProgram(args, output, root);
    return [String(code), ...lines].join("\n");
  }
}

it("demands a changeset that is large enough below 1.0.0, where levels shift by one", async () => {
  const { commit, run } = createRepository();
  expect(await commit({ version: "0.0.0", document: before })).toBe(
    "0\nNothing is released: spec/released has no document.",
  );
  // The first release: a changeset of the whole product, then its version.
  expect(await commit({ changeset: "minor" })).toMatch(/^0\nNothing is released/);
  expect(await commit({ version: "0.1.0", changeset: "none" })).toMatch(/^0\nNothing is released/);
  expect(await run("release")).toBe("0\nwrote spec/released/0.1.0.json");
  expect(await commit({})).toBe("0\nspec/openrpc.json equals spec/released/0.1.0.json.");

  expect(await commit({ document: withoutId })).toBe(`1
spec/openrpc.json has a major change since 0.1.0, which needs version 0.2.0 or later, but the next version is 0.1.0.
major  old #/methods/0/result/schema/properties/id (receive run) property-removed: the member id is removed
Add a changeset of at least "minor" for @quern/spec: node tools/bootstrap/bootstrap.mjs changeset`);
  expect(await commit({ changeset: "patch" })).toMatch(/^1\n.* but the next version is 0\.1\.1\./);
  const passes = "0\nspec/openrpc.json has a major change since 0.1.0, which needs version 0.2.0 or later";
  expect(await commit({ changeset: "minor" })).toBe(`${passes}: the next version is 0.2.0.`);
  expect(await commit({ changeset: "major" })).toBe(`${passes}: the next version is 1.0.0.`);
  expect(await commit({ document: withState, changeset: "patch" })).toMatch(/^0\n.* minor change .* 0\.1\.1 or later/);
  expect(await commit({ document: reworded, changeset: "none" })).toMatch(/^1\n.* patch change .* at least "patch"/s);

  // The pull request of the next release: its document is missing, and then there.
  expect(await commit({ version: "0.1.1" })).toMatch(
    /^1\nspec\/package\.json has the version 0\.1\.1, .*\nWrite the doc/,
  );
  expect(await run("release")).toBe("0\nwrote spec/released/0.1.1.json");
  expect(await commit({})).toMatch(/^0\n/);
  // A released document stays as it is.
  expect(await commit({ document: withState, changeset: "patch" })).toMatch(/^0\n/);
  expect(await run("release")).toMatch(/^2\nspec\/released\/0\.1\.1\.json has another document/);
});

it("demands it from 1.0.0 on, and of released documents, too", async () => {
  const { commit } = createRepository();
  expect(await commit({ version: "1.0.0", document: before, released: ["1.0.0", before] })).toMatch(/^0\n.* equals /);
  expect(await commit({ document: withState, changeset: "patch" })).toMatch(/^1\n.* needs version 1\.1\.0 or later/);
  expect(await commit({ changeset: "minor" })).toMatch(/^0\n/);
  expect(await commit({ document: withoutId })).toMatch(/^1\n.* needs version 2\.0\.0 or later, but .* 1\.1\.0\./);
  expect(await commit({ changeset: "major" })).toMatch(/^0\n/);
  const tooSmall = await commit({ version: "1.0.1", changeset: "none", released: ["1.0.1", withoutId] });
  expect(tooSmall).toMatch(
    /^1\nspec\/released\/1\.0\.1\.json has a major change since 1\.0\.0, which needs version 2\.0\.0/,
  );
  expect(await commit({ released: ["next", before] })).toMatch(/^2\nInvalid name of a released document: .*next\.json/);
});

it("passes on this repository", async () => {
  const lines: string[] = [];
  const output = { log: (line: string) => lines.push(line), error: (line: string) => lines.push(line) };
  expect(await runProgram(["check"], output, checkout), lines.join("\n")).toBe(0);
});
