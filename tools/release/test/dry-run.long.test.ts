import { copyFileSync, cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "../../repo-rules/src/packed.ts";
import { binaryOf, nodeRuntime } from "../../repo-rules/src/runtime.ts";
import { API_KEY, type Service, startCommand } from "../../repo-rules/src/service.ts";
import { snippets } from "../../repo-rules/src/snippets.ts";
import { catalogVersion, manifest, publishedFolders, read, root } from "../../repo-rules/src/tree.ts";
import { type DryRun, dryRun } from "../src/dry-run.ts";
import { textOf } from "../src/fault.ts";
import { quernOf } from "../src/steps/install.ts";

/** Files that a release changes. */
const changed = [".changeset", "spec", "packages", "package.json", "pnpm-lock.yaml"];
const status = () => run("git", ["status", "--porcelain", "--", ...changed], root).stdout;
const before = status();
const printed: string[] = [];
let rehearsal: DryRun;

beforeAll(async () => {
  rehearsal = await dryRun((line) => printed.push(line));
});
afterAll(() => rehearsal?.[Symbol.asyncDispose]());

it("a release of this checkout has no fault, and its rehearsal changes nothing", () => {
  expect(rehearsal.faults.map(textOf), printed.join("\n")).toEqual([]);
  const names = publishedFolders().map((folder) => manifest(folder).name);
  expect([...rehearsal.projects.keys()].sort()).toEqual(names.sort());
  expect(status()).toBe(before);
});

it("each package has a bill of materials, with the code that is bundled in its files", () => {
  const bill = (name: string) =>
    JSON.parse(readFileSync(join(rehearsal.folder, `release/sbom/${name}.cdx.json`), "utf8"));
  const { version } = rehearsal;
  expect(bill("quern-client")).toMatchObject({
    bomFormat: "CycloneDX",
    metadata: {
      component: { group: "@quern", name: "client", version, licenses: [{ license: { id: "Apache-2.0" } }] },
    },
  });
  const purls = bill("quern-console").components.map(({ purl }: { readonly purl: string }) => purl);
  expect(purls).toContain(`pkg:npm/react@${catalogVersion("react")}`);
});

const fixture = (name: string) => join(root, "tools/repo-rules/test/fixtures", name);
/** Returns a development dependency with its version in the workspace's catalog. */
const pinned = (name: string) => `${name}@${catalogVersion(name)}`;
/** Returns the packages of the README's install command with this purpose in its comment. */
function installLine(purpose: string): string[] {
  const [, words] = new RegExp(`^npm install (.+?) +# ${purpose}$`, "m").exec(read("README.md")) ?? [];
  if (words === undefined) throw new Error(`README.md has no install command for ${purpose}`);
  return words.split(" ");
}

function must(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}): string {
  const { status, stdout, stderr } = run(command, args, cwd, { NO_COLOR: "1", ...env });
  expect(status, `${command} ${args.join(" ")}\n${stderr}${stdout}`).toBe(0);
  return stdout;
}

function project(name: string): string {
  const folder = join(rehearsal.folder, name);
  mkdirSync(folder);
  writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
  writeFileSync(join(folder, ".npmrc"), `@quern:registry=${rehearsal.registry.url}\n`);
  return folder;
}

const npmInstall = (folder: string, packages: readonly string[], env: NodeJS.ProcessEnv = {}) =>
  must("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", "--prefer-offline", ...packages], folder, env);

describe("examples, as their readers copy them", () => {
  let service: Service;
  beforeAll(async () => {
    const binary = join(rehearsal.projects.get("quern") ?? "", "node_modules/quern/bin/quern.js");
    service = await startCommand(process.execPath, [binary, "serve", "--data-dir", join(rehearsal.folder, "data")]);
  });
  afterAll(() => service?.stop());

  it.each([
    ["script", /^datsun 280-zx 132$/m],
    ["agent", /^query read_rows .*\n.*"USA",254/m],
  ])("%s", (name, expected) => {
    const folder = project(name);
    cpSync(join(root, "examples", name), folder, { recursive: true });
    npmInstall(folder, []);
    const env = { QUERN_URL: service.url, QUERN_API_KEY: API_KEY };
    expect(must("npm", ["start", "--silent"], folder, env)).toMatch(expected);
  });
});

describe("from the registry alone", () => {
  it("on Node 22, `npx quern serve` starts, an app's queries have their rows, and the mock works in vitest", async ({
    skip,
  }) => {
    const binary = binaryOf(nodeRuntime("22"), rehearsal.folder);
    if (binary === undefined) return skip("the machine lacks Node 22: no package brings it");
    // The directory of the runtime comes first, so that npm, npx and their children run in it.
    const env = { PATH: `${dirname(binary)}${delimiter}${process.env.PATH}` };
    const folder = project("app");
    npmInstall(
      folder,
      [quernOf(rehearsal), ...installLine("an app"), ...installLine("your tests"), pinned("vitest")],
      env,
    );
    const words = ["--no-install", "quern", "serve", "--data-dir", join(folder, "data")];
    const service = await startCommand("npx", words, { group: true, cwd: folder, env });
    try {
      copyFileSync(fixture("smoke.mjs"), join(folder, "smoke.mjs"));
      const rows = '[312487500,1,"failed","timeout",100001]\n';
      expect(must("node", ["smoke.mjs", service.url, API_KEY], folder, env)).toBe(rows);
    } finally {
      await service.stop();
    }
    copyFileSync(join(import.meta.dirname, "fixtures/mocked.mjs"), join(folder, "mocked.test.mjs"));
    expect(must("npx", ["--no-install", "vitest", "run", "--reporter=default"], folder, env)).toMatch(/1 passed/);
  });

  it("a service of the guide has no package for tests, other engines, shared stores or object storage", () => {
    const folder = project("service");
    const [, words = ""] = /`npm install --prefix \S+ (.+?)`/.exec(read("docs/guides/deploy.md")) ?? [];
    npmInstall(folder, ["--package-lock-only", ...words.split(" ")]);
    const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
    const names = Object.keys(packages).map((path) => path.split("node_modules/").at(-1) ?? "");
    expect(names).toEqual(expect.arrayContaining(["@quern/cli", "@quern/server", "@quern/duckdb"]));
    // `pg` is not among them: `quern sources add` loads tables with it.
    const optional =
      /^(?:@quern\/(?:mock-server|conformance|react|postgres|s3|trino|clickhouse)|@aws-sdk\/.*|@smithy\/.*|@clickhouse\/.*)$/;
    expect(names.filter((name) => optional.test(name))).toEqual([]);
  });

  it("a React page type-checks under strict pnpm", () => {
    const folder = project("page");
    // A package finds only its declared dependencies, and recently published versions may be installed.
    const strict = { hoist: false, autoInstallPeers: false, strictPeerDependencies: true, minimumReleaseAge: 0 };
    writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ packages: ["."], ...strict }));
    const types = ["typescript", "@types/react", "@types/react-dom"].map(pinned);
    must("pnpm", ["add", "--workspace-root", ...installLine("a dashboard"), ...types], folder);
    const page = snippets("packages/react/README.md").find(({ language }) => language === "tsx");
    writeFileSync(join(folder, "page.tsx"), page?.code ?? "");
    copyFileSync(fixture("consumer.tsx"), join(folder, "consumer.tsx"));
    const compilerOptions = {
      target: "es2022",
      lib: ["es2022", "dom", "dom.iterable"],
      jsx: "react-jsx",
      types: [],
      strict: true,
      exactOptionalPropertyTypes: true,
      noEmit: true,
      module: "nodenext",
      moduleResolution: "nodenext",
    };
    const files = ["page.tsx", "consumer.tsx"];
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
    expect(must("node", ["node_modules/typescript/bin/tsc"], folder)).toBe("");
  });
});
