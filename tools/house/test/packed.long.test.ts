import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildPage } from "../src/page.ts";
import { API_KEY, type Service, start } from "../src/service.ts";
import { type Snippet, snippets } from "../src/snippets.ts";
import { packageNames, read, root } from "../src/tree.ts";

interface Manifest {
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

const folders = ["spec", ...packageNames().map((name) => `packages/${name}`)];
const nameOf = (folder: string): string => JSON.parse(read(`${folder}/package.json`)).name;
const work = mkdtempSync(join(tmpdir(), "quern-packed-"));
const tarballs = new Map<string, string>();
let service: Service;

function run(command: string, args: readonly string[], cwd: string, env: NodeJS.ProcessEnv = {}) {
  const result = spawnSync(command, args, { cwd, encoding: "utf8", env: { ...process.env, ...env }, timeout: 300_000 });
  return { status: result.status, stdout: result.stdout, stderr: result.stderr };
}

beforeAll(async () => {
  for (const folder of folders) {
    const packed = run("pnpm", ["pack", "--pack-destination", work], join(root, folder));
    expect(packed.status, packed.stderr + packed.stdout).toBe(0);
  }
  for (const folder of folders) {
    const stem = nameOf(folder).replace("@", "").replace("/", "-");
    const file = readdirSync(work).find((name) => new RegExp(`^${stem}-\\d.*\\.tgz$`).test(name));
    if (file !== undefined) tarballs.set(nameOf(folder), join(work, file));
  }
  run(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", join(work, "data")], root);
  service = await start("serve", "--data-dir", join(work, "data"));
});
afterAll(async () => {
  await service?.stop();
  rmSync(work, { recursive: true, force: true });
});

/** An empty project that has this package and the peers it asks for; what it needs of the others comes from their tarballs too. */
function install(folder: string): string {
  const project = mkdtempSync(join(work, "project-"));
  const packed = (name: string, version: string) => (tarballs.has(name) ? `file:${tarballs.get(name)}` : version);
  const { peerDependencies = {}, peerDependenciesMeta = {} }: Manifest = JSON.parse(read(`${folder}/package.json`));
  const peers = Object.keys(peerDependencies).filter((name) => !peerDependenciesMeta[name]?.optional);
  const dependencies = Object.fromEntries(
    [nameOf(folder), ...peers].map((name) => [name, packed(name, peerDependencies[name] ?? "")]),
  );
  const overrides = Object.fromEntries(
    [...tarballs.keys()].filter((name) => !(name in dependencies)).map((name) => [name, packed(name, "")]),
  );
  if (folder === "packages/react") dependencies["react-dom"] = peerDependencies.react ?? "";
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({ type: "module", private: true, dependencies, overrides }),
  );
  const installed = run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], project);
  expect(installed.status, installed.stderr).toBe(0);
  return project;
}

async function commandFor(project: string, { language, code }: Snippet): Promise<[string, string[]]> {
  if (language === "sh") return ["sh", ["-euc", code]];
  if (language === "tsx") {
    const here = code.replace("http://127.0.0.1:8080", service.url).replace('apiKey: "…"', `apiKey: "${API_KEY}"`);
    return [process.execPath, await buildPage(project, here)];
  }
  const file = join(project, `snippet.${language === "ts" ? "ts" : "mjs"}`);
  writeFileSync(file, code);
  return [process.execPath, [file]];
}

describe("packed packages", () => {
  it.each(folders)("%s installs alone, and its README's snippet runs", async (folder) => {
    const project = install(folder);
    const snippet = snippets(`${folder}/README.md`).find(
      ({ language, code }) =>
        ["js", "ts", "tsx"].includes(language) || (language === "sh" && !/^(npm install|npx|export) /m.test(code)),
    );
    if (snippet === undefined) throw new Error(`${folder}/README.md has no snippet that runs`);
    const environment = {
      QUERN_URL: service.url,
      QUERN_API_KEY: API_KEY,
      AWAITED: "USA: 254",
      PATH: `${join(project, "node_modules/.bin")}:${process.env.PATH}`,
    };
    const [command, args] = await commandFor(project, snippet);
    const result = run(command, args, project, environment);
    expect(result.status, result.stderr).toBe(0);
    expect(result.stdout).not.toBe("");
  });

  it.each(folders.filter((folder) => !["spec", "packages/quern"].includes(folder)))(
    "%s has types that resolve",
    async (folder) => {
      const tarball = tarballs.get(nameOf(folder));
      const result = await checkPackage(createPackageFromTarballData(new Uint8Array(readFileSync(tarball ?? ""))));
      const problems = "problems" in result ? result.problems : ["no types"];
      // The packages are ES modules only: `require` of one is refused by design.
      const counted = problems.filter(
        (problem) =>
          typeof problem === "string" ||
          (!["CJSResolvesToESM"].includes(problem.kind) &&
            !("resolutionKind" in problem && problem.resolutionKind === "node10")),
      );
      expect(counted).toEqual([]);
    },
  );
});
