import { existsSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { runnersGuide } from "../src/runners-guide.ts";
import { documents, snippets } from "../src/snippets.ts";
import { adapterNames, packageNames, publishedNames, read, root } from "../src/tree.ts";

const all = documents().flatMap(snippets);

describe("documents", () => {
  it("have a runner for each of their snippets", () => {
    // Configuration files of other programs, nginx and systemd, have no runner. A test of the command line parses TOML.
    const known = ["sh", "js", "ts", "tsx", "json", "nginx", "ini", "toml", "vue", "svelte"];
    const tests = [...known, "python", "go", "java", "rust"];
    const unknown = all.filter(({ file, language }) => !(file === runnersGuide ? tests : known).includes(language));
    expect(unknown.map(({ file, line, language }) => `${file}:${line} ${language}`)).toEqual([]);
    // Tests of `packages/vue` and `packages/svelte` run the components of `vue-and-svelte.md`.
    // Other tests run snippets of pages: `dashboard-guide.test.tsx`, `recipes-guide.test.tsx`,
    // `production-guide.long.test.ts`, and the rehearsal of a release for the READMEs.
    const pages = all.filter(({ language }) => language === "tsx").map(({ file }) => file);
    expect([...new Set(pages)].sort()).toEqual([
      "docs/guides/dashboard-in-production.md",
      "docs/guides/dashboard.md",
      "docs/guides/recipes.md",
      "packages/react/README.md",
    ]);
  });

  it("name each folder of the tree, and each published package with its size", () => {
    for (const group of ["tools", "examples"]) {
      const folders = readdirSync(join(root, group), { withFileTypes: true }).filter((entry) => entry.isDirectory());
      for (const { name } of folders) expect(read("CONTRIBUTING.md")).toContain(`\`${group}/${name}\``);
    }
    for (const name of packageNames()) expect(read("CONTRIBUTING.md")).toContain(`\`packages/${name}\``);
    for (const name of publishedNames().filter((one) => one !== "quern"))
      expect(read("README.md")).toContain(`packages/${name}/`);
  });

  it("name each engine that a data source can have", () => {
    const engines = adapterNames().filter((name) => read(`packages/${name}/src/index.ts`).includes("createSourceKind"));
    const kinds = read("docs/guides/other-engines.md").match(/^\| `--kind` .*$/m)?.[0];
    for (const name of engines) expect(kinds).toContain(`\`${name}\``);
  });

  it.each(documents())("%s has lines of at most 160 columns, without the addresses of links", (file) => {
    const lines = read(file)
      .replaceAll(/^ *```[\s\S]*?^ *```$/gm, "")
      .replaceAll(/\]\([^)]*\)/g, "]")
      .split("\n");
    // Rows of tables and HTML cannot be wrapped.
    expect(lines.filter((line) => line.length > 160 && !/^ *[|<]/.test(line))).toEqual([]);
  });

  it.each(documents())("%s has no broken links", (file) => {
    const links = [...read(file).matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map((match) => match[1] ?? "");
    const broken = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(root, dirname(file), link)));
    expect(broken).toEqual([]);
  });

  // The names `quern` and `@quern` are not claimed on npm. Remove the notes and this test when they are.
  it.each(documents())(
    "%s says that the packages are not on npm, above the first line that needs them there",
    (file) => {
      const lines = read(file).split("\n");
      const needs = lines.findIndex((line) => /\bnpx quern\b|npm install\b.*(@quern\/|\bquern\b)/.test(line));
      const says = lines.findIndex((line) => line.includes("are not on npm yet"));
      expect(needs < 0 || (says >= 0 && says < needs), `${file}:${needs + 1}: ${lines[needs]}`).toBe(true);
    },
  );
});
