import { readFileSync, writeFileSync } from "node:fs";
import { join, posix } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Packed, pack, run } from "../src/packed.ts";
import { buildPage } from "../src/page.ts";
import { API_KEY, type Service, start } from "../src/service.ts";
import { type Snippet, snippets } from "../src/snippets.ts";
import { manifest, publishedFolders, root } from "../src/tree.ts";

const folders = publishedFolders();
let packed: Packed;
let service: Service;
/** Project with only one package, by its folder. */
let projects: ReadonlyMap<string, string>;

/** Returns the snippet of the README of a package that runs. */
function snippetOf(folder: string): Snippet {
  const found = snippets(`${folder}/README.md`).find(
    ({ language, code }) =>
      ["js", "ts", "tsx"].includes(language) || (language === "sh" && !/^(npm install|npx|export) /m.test(code)),
  );
  if (found === undefined) throw new Error(`${folder}/README.md has no snippet that runs`);
  return found;
}

beforeAll(async () => {
  packed = pack(folders);
  const uses = ({ language, code }: Snippet) =>
    language === "sh" ? ["@quern/cli"] : [...code.matchAll(/ from "(@quern\/[^"/]+)/g)].map(([, name = ""]) => name);
  const besides = (folder: string) =>
    Object.fromEntries(uses(snippetOf(folder)).map((name) => [name, `file:${packed.tarballs.get(name)}`]));
  const installed = packed.install(...folders.map((of) => ({ of, besides: besides(of) })));
  projects = new Map(folders.map((folder, index) => [folder, installed[index] ?? ""]));
  const data = join(packed.folder, "data");
  run(process.execPath, [join(root, "tools/samples/src/main.ts"), "--data-dir", data], root);
  service = await start("serve", "--data-dir", data);
});
afterAll(async () => {
  await service?.stop();
  packed?.[Symbol.dispose]();
});

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

interface SourceMap {
  readonly sources: readonly string[];
  /** Text of each source file, also of packages that are bundled. */
  readonly sourcesContent?: readonly (string | null)[];
}

describe("packed packages", () => {
  it.each(folders)("%s installs alone, and its README's snippet runs", async (folder) => {
    const project = projects.get(folder) ?? "";
    const environment = {
      QUERN_URL: service.url,
      QUERN_API_KEY: API_KEY,
      AWAITED: "USA: 254",
      PATH: `${join(project, "node_modules/.bin")}:${process.env.PATH}`,
    };
    const [command, args] = await commandFor(project, snippetOf(folder));
    const result = run(command, args, project, environment);
    expect(result.status, result.stderr).toBe(0);
    expect(result.stdout).not.toBe("");
  });

  /** Package from its tarball. */
  const published = (folder: string) =>
    createPackageFromTarballData(new Uint8Array(readFileSync(packed.tarballs.get(manifest(folder).name) ?? "")));
  const typed = folders.filter((folder) => !["spec", "packages/quern", "packages/console"].includes(folder));

  it.each(typed)("%s has types that resolve", async (folder) => {
    const result = await checkPackage(published(folder));
    const problems = "problems" in result ? result.problems : ["no types"];
    // The packages are ES modules only, so that `require` refuses them.
    const counted = problems.filter(
      (problem) =>
        typeof problem === "string" ||
        (!["CJSResolvesToESM"].includes(problem.kind) &&
          !("resolutionKind" in problem && problem.resolutionKind === "node10")),
    );
    expect(counted).toEqual([]);
  });

  it.each(typed)("%s has source maps that lead to sources in the package or hold them", (folder) => {
    const files = published(folder);
    const code = files.listFiles().filter((file) => /\/dist\/.*(\.js|\.d\.ts)$/.test(file));
    expect(code.length).toBeGreaterThan(0);
    const faults = code.flatMap((file) => {
      const map = `${file}.map`;
      if (
        !files
          .readFile(file)
          .trimEnd()
          .endsWith(`//# sourceMappingURL=${posix.basename(map)}`)
      )
        return [file];
      const { sources, sourcesContent = [] }: SourceMap = JSON.parse(files.readFile(map));
      return sources
        .filter((_, index) => typeof sourcesContent[index] !== "string")
        .map((source) => posix.join(posix.dirname(map), source))
        .filter((path) => !files.fileExists(path));
    });
    expect(faults).toEqual([]);
  });

  it.each(folders)("%s brings its licence and no test", (folder) => {
    const files = published(folder).listFiles();
    expect(files.filter((file) => /\/(LICENSE|README\.md|package\.json)$/.test(file)).length).toBeGreaterThanOrEqual(3);
    expect(files.filter((file) => /\/test\/|\.test\.|tsbuildinfo/.test(file))).toEqual([]);
  });
});
