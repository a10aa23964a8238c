import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
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

beforeAll(async () => {
  packed = pack(folders);
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

describe("packed packages", () => {
  it.each(folders)("%s installs alone, and its README's snippet runs", async (folder) => {
    const project = packed.install(folder);
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
      const tarball = packed.tarballs.get(manifest(folder).name);
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
