import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { API_KEY, type Service, start } from "../src/service.ts";
import { snippets } from "../src/snippets.ts";
import { packageNames, read, root } from "../src/tree.ts";

const folders = ["spec", ...packageNames().map((name) => `packages/${name}`)];
const nameOf = (folder: string): string => JSON.parse(read(`${folder}/package.json`)).name;
const work = mkdtempSync(join(tmpdir(), "quern-packed-"));
const tarballs = new Map<string, string>();
let mock: Service;
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
  mock = await start("mock");
  run(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", join(work, "data")], root);
  service = await start("serve", "--data-dir", join(work, "data"));
});
afterAll(async () => {
  await mock?.stop();
  await service?.stop();
  rmSync(work, { recursive: true, force: true });
});

/** An empty project that has only this package; what it needs of the others comes from their tarballs too. */
function install(folder: string): string {
  const project = mkdtempSync(join(work, "project-"));
  const overrides = Object.fromEntries(
    [...tarballs].filter(([name]) => name !== nameOf(folder)).map(([name, file]) => [name, `file:${file}`]),
  );
  const peers =
    folder === "packages/react" ? { react: "19.3.1", "react-dom": "19.3.1", "@tanstack/react-query": "5.108.0" } : {};
  writeFileSync(
    join(project, "package.json"),
    JSON.stringify({
      type: "module",
      private: true,
      dependencies: { [nameOf(folder)]: `file:${tarballs.get(nameOf(folder))}`, ...peers },
      overrides,
    }),
  );
  const installed = run("npm", ["install", "--no-audit", "--no-fund", "--loglevel=error"], project);
  expect(installed.status, installed.stderr).toBe(0);
  return project;
}

describe("packed packages", () => {
  it.each(folders)("%s installs alone, and its README's snippet runs", (folder) => {
    const project = install(folder);
    const [snippet] = snippets(`${folder}/README.md`)
      .filter(({ language }) => ["js", "ts", "sh"].includes(language))
      .slice(-1);
    if (snippet === undefined) throw new Error(`${folder}/README.md has no snippet`);
    const environment = {
      QUERN_URL: folder === "packages/react" ? mock.url : service.url,
      QUERN_API_KEY: API_KEY,
      PATH: `${join(project, "node_modules/.bin")}:${process.env.PATH}`,
    };
    const file = join(project, `snippet.${snippet.language === "ts" ? "ts" : "mjs"}`);
    writeFileSync(file, snippet.code);
    const result =
      snippet.language === "sh"
        ? run("sh", ["-euc", snippet.code], project, environment)
        : run(process.execPath, [file], project, environment);
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
