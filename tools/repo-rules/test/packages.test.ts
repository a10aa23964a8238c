import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, relative, sep } from "node:path";
import { publint } from "publint";
import { describe, expect, it } from "vitest";
import { documents, snippets } from "../src/snippets.ts";
import { adapterNames, type Manifest, manifest, publishedFolders, read, root, sourceFiles } from "../src/tree.ts";

const folders = publishedFolders();
const NO_DEPENDENCY_OUTSIDE = ["json-rpc", "protocol", "query-run", "client", "react", "vue", "svelte", "mock-server"];
const workspace: Manifest = JSON.parse(read("package.json"));
const NODE = "^22.22.2 || ^24.15.0 || >=26";
/** Packages for Node only. The others also run in browsers, or contain no code. */
const NODE_ONLY = ["adapter", "cli", "conformance", "duckdb", "mcp", "quern", "server", ...adapterNames()].map(
  (name) => `packages/${name}`,
);

/** Returns the files of a package without `node_modules`, where publint follows the links to other packages. */
function ownFiles(folder: string): { name: string; data: Buffer }[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("node_modules"))
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => ({ name: relative(root, file).split(sep).join("/"), data: readFileSync(file) }));
}

describe("packages", () => {
  it.each(folders)("%s has a complete manifest", (folder) => {
    const { name, version, license, type, description, files } = manifest(folder);
    const own = folder === "packages/quern" ? "quern" : `@quern/${folder.replace(/^packages\//, "")}`;
    expect({ name, version, license, type }).toEqual({
      name: own,
      version: manifest("spec").version,
      license: "Apache-2.0",
      type: "module",
    });
    expect(description?.length).toBeGreaterThan(30);
    expect(files?.length).toBeGreaterThan(0);
  });

  it.each(folders.filter((folder) => folder !== "packages/quern"))("%s can be imported in every folder", (folder) => {
    expect(workspace.devDependencies).toHaveProperty([manifest(folder).name], "workspace:*");
  });

  it.each(folders)("%s names its repository, home page, issues, keywords and how it is published", (folder) => {
    const { repository, homepage, bugs, keywords, publishConfig } = manifest(folder);
    expect({ repository, homepage, bugs, publishConfig }).toEqual({
      repository: { ...workspace.repository, directory: folder },
      homepage: `${workspace.homepage}/tree/main/${folder}#readme`,
      bugs: workspace.bugs,
      publishConfig: { access: "public", provenance: true },
    });
    expect(keywords).toEqual(expect.arrayContaining(["quern", "sql"]));
    expect(new Set(keywords).size).toBe(keywords?.length);
  });

  it.each(folders)("%s claims the Node it needs, or none and names the Node it is tested on", (folder) => {
    const claimed = NODE_ONLY.includes(folder) ? { node: NODE } : undefined;
    expect(manifest(folder).engines).toEqual(claimed);
    if (claimed === undefined && folder !== "spec")
      expect(read(`${folder}/README.md`)).toMatch(/tested from Node (20|22\.22\.2) on/);
  });

  it.each(folders)("%s has a README of one screen with an install line and a link to the docs", (folder) => {
    const text = read(`${folder}/README.md`);
    expect(text.split("\n").length).toBeLessThanOrEqual(75);
    expect(text).toMatch(/npm install|npx/);
    expect(text).toMatch(/docs\//);
  });

  it.each(NO_DEPENDENCY_OUTSIDE)("%s depends on nothing outside @quern", (name) => {
    const outside = Object.keys(manifest(`packages/${name}`).dependencies ?? {}).filter(
      (key) => !key.startsWith("@quern/"),
    );
    expect(outside).toEqual([]);
  });

  it.each(folders)("%s is well formed for publishing", async (folder) => {
    expect(folder === "spec" || existsSync(join(root, folder, "src")) || existsSync(join(root, folder, "bin"))).toBe(
      true,
    );
    const { messages } = await publint({ pkgDir: folder, strict: true, pack: { files: ownFiles(folder) } });
    expect(messages.filter(({ type }) => type !== "suggestion")).toEqual([]);
  });
});

/** Returns the packages of each `npm install` command of a document, one list for each command. */
function installLines(file: string): string[][] {
  return [...read(file).matchAll(/npm install ([^#`\n]+)/g)].map(([, words = ""]) =>
    words
      .split(/\s+/)
      .filter((word) => word !== "" && !word.startsWith("-"))
      // Without the version.
      .map((word) => word.replace(/(?!^)@\d.*$/, "")),
  );
}

describe("install commands", () => {
  it.each(documents().filter((file) => installLines(file).length > 0))("of %s name every peer dependency", (file) => {
    const missing = installLines(file).flatMap((named) =>
      folders
        .map(manifest)
        .filter(({ name }) => named.includes(name))
        .flatMap(({ peerDependencies = {}, peerDependenciesMeta = {} }) =>
          Object.keys(peerDependencies).filter((peer) => !peerDependenciesMeta[peer]?.optional),
        )
        .filter((peer) => !named.includes(peer)),
    );
    expect(missing).toEqual([]);
  });

  it.each(folders)("of the README of %s name the packages that its examples import", (folder) => {
    const file = `${folder}/README.md`;
    const examples = snippets(file).filter(({ language }) => ["js", "ts", "tsx"].includes(language));
    const imported = examples.flatMap(({ code }) => [...code.matchAll(/from "((?:@[\w-]+\/)?[\w-]+)["/]/g)]);
    const named = installLines(file).flat();
    expect(imported.map(([, name = ""]) => name).filter((name) => !named.includes(name))).toEqual([]);
  });
});

/**
 * Returns the fault of a link outside of the repository, as on a registry's page or in an editor, or undefined if it
 * works.
 */
function faultOf(link: string): string | undefined {
  const inRepository = `${workspace.homepage}/blob/main/`;
  if (link.startsWith("#")) return undefined;
  if (!link.startsWith("https://")) return "is relative: write an absolute address";
  if (!link.startsWith(inRepository)) return undefined;
  const [path = "", anchor] = link.slice(inRepository.length).split("#");
  if (!existsSync(join(root, path))) return "names no file of the repository";
  const headings = [...read(path).matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replace(/[^\w -]/g, "")
      .replaceAll(" ", "-"),
  );
  return anchor === undefined || headings.includes(anchor) ? undefined : "names no heading of that page";
}

const faultsOf = (links: readonly string[]): string[] =>
  links.flatMap((link) => (faultOf(link) === undefined ? [] : [`${link} ${faultOf(link)}`]));

describe("links", () => {
  const readmes = [...folders.map((folder) => `${folder}/README.md`), "spec/conformance/README.md"];
  it.each(readmes)("of %s work on the registry's page", (file) => {
    const links = [...read(file).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link);
    expect(faultsOf(links)).toEqual([]);
  });

  it.each(folders.filter((folder) => existsSync(join(root, folder, "src"))))(
    "in the comments of %s work in an editor",
    (folder) => {
      const files = [...sourceFiles(`${folder}/src`), ...sourceFiles(`${folder}/src/generated`)];
      const comments = files.map(read).flatMap((text) => text.match(/\/\*\*[\s\S]*?\*\//g) ?? []);
      const links = comments.flatMap((text) => [...text.matchAll(/@see (?!\{)(\S+)|\]\(([^)\s]+)\)/g)]);
      expect(faultsOf(links.map(([, see, link]) => see ?? link ?? ""))).toEqual([]);
    },
  );
});
