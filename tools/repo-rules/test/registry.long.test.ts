import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Clone, cloneCheckout } from "../src/clone.ts";
import { run } from "../src/packed.ts";
import { type Registry, startRegistry } from "../src/registry.ts";
import { binaryOf, nodeRuntime } from "../src/runtime.ts";
import { API_KEY, type Service, startCommand } from "../src/service.ts";
import { snippets } from "../src/snippets.ts";
import { catalogVersion, manifest, publishedFolders, read } from "../src/tree.ts";
import { publishScript } from "../src/workflow.ts";

const folders = publishedFolders();
const work = mkdtempSync(join(tmpdir(), "quern-registry-"));
const fixture = (name: string) => fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
/** Returns a development dependency with its version in the workspace's catalog. */
const pinned = (name: string) => `${name}@${catalogVersion(name)}`;
/** Returns the packages of the README's install command with this purpose in its comment. */
function installLine(purpose: string): string[] {
  const [, words] = new RegExp(`^npm install (.+?) +# ${purpose}$`, "m").exec(read("README.md")) ?? [];
  if (words === undefined) throw new Error(`README.md has no install command for ${purpose}`);
  return words.split(" ");
}
let registry: Registry;
let clone: Clone;

function must(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv): string {
  const { status, stdout, stderr } = run(command, args, cwd, { ...registry.environment, NO_COLOR: "1", ...env });
  expect(status, `${command} ${args.join(" ")}\n${stderr}${stdout}`).toBe(0);
  return stdout;
}

beforeAll(async () => {
  registry = await startRegistry(work);
  clone = cloneCheckout();
  const tool = (...args: string[]) =>
    must(process.execPath, ["tools/bootstrap/bootstrap.mjs", ...args], clone.folder, {});
  // A rehearsal must not publish to another registry, whatever the settings of the machine.
  expect(tool("pnpm", "config", "get", "registry").trim().split("\n").at(-1)).toBe(registry.url);
  writeFileSync(join(clone.folder, ".changeset/rehearsal.md"), '---\n"@quern/client": patch\n---\n\nA rehearsal.\n');
  tool("changeset", "version");
  tool("turbo", "run", "build");
  // The release packs in one job, and publishes in another that has the tarballs alone.
  tool("changeset", "pack", "--out-dir", join(work, "release"));
  // A statement of provenance requires the identity of a CI run.
  const publish = publishScript().replaceAll("--provenance", "--no-provenance");
  must("bash", ["-e", "-c", publish], join(work, "release/packages"), {});
});
afterAll(async () => {
  await registry?.[Symbol.asyncDispose]();
  clone?.[Symbol.dispose]();
  rmSync(work, { recursive: true, force: true });
});

it.each(folders)("%s is published with versions that a registry has", async (folder) => {
  const { name } = manifest(folder);
  const response = await fetch(new URL(encodeURIComponent(name), registry.url));
  const { versions, "dist-tags": tags } = await response.json();
  const { version } = JSON.parse(read(`${folder}/package.json`));
  expect(Object.keys(versions)).toEqual([tags.latest]);
  expect(tags.latest).not.toBe(version);
  const { dependencies, peerDependencies, repository, publishConfig } = versions[tags.latest];
  expect(JSON.stringify({ ...dependencies, ...peerDependencies })).not.toMatch(/workspace:|catalog:/);
  expect({ repository, publishConfig }).toMatchObject({
    repository: { directory: folder },
    publishConfig: { access: "public" },
  });
});

const nodeVersions = ["22", "26"];

describe.each(nodeVersions)("from the registry alone, on Node %s", (version) => {
  /** The directory of the runtime comes first, so that npm, npx, pnpm and their children run in it. */
  let path: string | undefined;
  let service: Service;
  beforeAll(() => {
    const found = binaryOf(nodeRuntime(version), work);
    if (found !== undefined) path = `${dirname(found)}${delimiter}${process.env.PATH}`;
  });
  afterAll(() => service?.stop());

  /** Declares a test for some versions. It is skipped if no package has the runtime for this machine. */
  const test = (versions: readonly string[], name: string, body: (env: NodeJS.ProcessEnv) => void | Promise<void>) =>
    versions.includes(version) &&
    it(name, ({ skip }) => {
      if (path === undefined) return skip(`the machine lacks Node ${version}: no package brings it`);
      return body({ PATH: path });
    });
  const project = (name: string) => {
    const folder = join(work, `${name}-${version}`);
    mkdirSync(folder);
    writeFileSync(join(folder, "package.json"), JSON.stringify({ type: "module", private: true }));
    return folder;
  };
  const npmInstall = (folder: string, packages: readonly string[], env: NodeJS.ProcessEnv) =>
    must("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error", ...packages], folder, env);

  test(nodeVersions, "`npx quern serve` starts, and a client's queries have their rows", async (env) => {
    const folder = project("app");
    const serve = ["--yes", "quern", "serve", "--data-dir", join(folder, "data")];
    service = await startCommand("npx", serve, { group: true, cwd: folder, env: { ...registry.environment, ...env } });
    npmInstall(folder, installLine("an app"), env);
    copyFileSync(fixture("smoke.mjs"), join(folder, "smoke.mjs"));
    expect(must("node", ["smoke.mjs", service.url, API_KEY], folder, env)).toBe(
      '[312487500,1,"failed","timeout",100001]\n',
    );
  });

  test(
    ["26"],
    "a service of the guide has no package for tests, other engines, shared stores or object storage",
    (env) => {
      const folder = project("service");
      const [, words = ""] = /`npm install --prefix \S+ (.+?)`/.exec(read("docs/guides/deploy.md")) ?? [];
      npmInstall(folder, words.split(" "), env);
      const { packages } = JSON.parse(readFileSync(join(folder, "package-lock.json"), "utf8"));
      const names = Object.keys(packages).map((path) => path.split("node_modules/").at(-1) ?? "");
      expect(names).toEqual(expect.arrayContaining(["@quern/cli", "@quern/server", "@quern/duckdb"]));
      // `pg` is not among them: `quern sources add` loads tables with it.
      const optional =
        /^(?:@quern\/(?:mock-server|conformance|react|postgres|s3|trino|clickhouse)|@aws-sdk\/.*|@smithy\/.*|@clickhouse\/.*)$/;
      expect(names.filter((name) => optional.test(name))).toEqual([]);
    },
  );

  test(["26"], "the conformance kit runs against that service", (env) => {
    const folder = project("kit");
    npmInstall(folder, ["@quern/conformance"], env);
    const snippet = snippets("packages/conformance/README.md").find(({ language }) => language === "ts");
    writeFileSync(join(folder, "kit.ts"), snippet?.code ?? "");
    const report = must("node", ["kit.ts"], folder, { ...env, QUERN_URL: service.url, QUERN_API_KEY: API_KEY });
    expect(report).toMatch(/^([1-9]\d*) of \1 checks pass/m);
  });

  test(["22"], "the mock works in vitest", (env) => {
    const folder = project("mock");
    npmInstall(folder, [...installLine("an app"), ...installLine("your tests"), pinned("vitest")], env);
    copyFileSync(fixture("mocked.mjs"), join(folder, "mocked.test.mjs"));
    expect(must("npx", ["--no-install", "vitest", "run", "--reporter=default"], folder, env)).toMatch(/1 passed/);
  });

  const page = (folder: string, env: NodeJS.ProcessEnv) => {
    const snippet = snippets("packages/react/README.md").find(({ language }) => language === "tsx");
    writeFileSync(join(folder, "page.tsx"), snippet?.code ?? "");
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
    writeFileSync(
      join(folder, "tsconfig.json"),
      JSON.stringify({ compilerOptions, files: ["page.tsx", "consumer.tsx"] }),
    );
    expect(must("node", ["node_modules/typescript/bin/tsc"], folder, env)).toBe("");
  };
  const dashboard = () => [
    ...installLine("a dashboard"),
    ...["typescript", "@types/react", "@types/react-dom"].map(pinned),
  ];

  test(["26"], "a React page type-checks under npm", (env) => {
    const folder = project("page-npm");
    npmInstall(folder, dashboard(), env);
    page(folder, env);
  });

  test(["26"], "a React page type-checks under strict pnpm", (env) => {
    const folder = project("page-pnpm");
    // A package finds only its declared dependencies, and recently published versions may be installed.
    const strict = { hoist: false, autoInstallPeers: false, strictPeerDependencies: true, minimumReleaseAge: 0 };
    writeFileSync(join(folder, "pnpm-workspace.yaml"), JSON.stringify({ packages: ["."], ...strict }));
    must("pnpm", ["add", "--workspace-root", ...dashboard()], folder, env);
    page(folder, env);
  });
});
