import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { basename, join, relative, sep } from "node:path";
import { ts } from "ts-morph";

/** Root of the checkout. */
export const root = join(import.meta.dirname, "../../..");

/** Folders that `sourceFiles` omits: installed, built and generated files, extracted snippets, and fixtures of tests. */
const PASSED_OVER = new Set(["node_modules", "dist", ".turbo", ".snippets", "generated", "test/fixtures"]);

export function packageNames(): string[] {
  return readdirSync(join(root, "packages")).filter((name) => !name.startsWith("."));
}

/** Returns the names of the folders in a folder of the checkout that have source files, in their order. */
export function folderNames(folder: string): string[] {
  const depth = folder.split("/").length;
  const files = [...sourceFiles(folder), ...sourceFiles(`${folder}/generated`)].map((file) => file.split("/"));
  return [...new Set(files.flatMap((parts) => (parts.length > depth + 1 ? [parts[depth] ?? ""] : [])))].sort();
}

/** Returns the packages that implement the interfaces of `@quern/adapter` and that the service loads by their name. */
export function adapterNames(): string[] {
  return packageNames().filter((name) => "@quern/adapter" in (manifest(`packages/${name}`).peerDependencies ?? {}));
}

export interface Manifest {
  readonly name: string;
  readonly version?: string;
  readonly license?: string;
  readonly type?: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly homepage?: string;
  readonly bugs?: string;
  readonly repository?: { readonly type: string; readonly url: string; readonly directory: string };
  readonly keywords?: readonly string[];
  readonly publishConfig?: Readonly<Record<string, unknown>>;
  readonly engines?: Readonly<Record<string, string>>;
  readonly files?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly peerDependenciesMeta?: Readonly<Record<string, { readonly optional?: boolean }>>;
}

export function manifest(folder: string): Manifest {
  return JSON.parse(read(`${folder}/package.json`));
}

/** Returns the folders of all published packages of the workspace, relative to the root of the checkout. */
export function publishedFolders(): string[] {
  const groups = ["packages", "tools", "examples"].flatMap((group) =>
    readdirSync(join(root, group)).map((name) => `${group}/${name}`),
  );
  return ["spec", ...groups].filter(
    (folder) => existsSync(join(root, folder, "package.json")) && !manifest(folder).private,
  );
}

/** Returns the names of the folders in `packages` whose packages are published. */
export function publishedNames(): string[] {
  return publishedFolders()
    .filter((folder) => folder.startsWith("packages/"))
    .map((folder) => basename(folder));
}

/** Returns the hand-written source files below a folder of the checkout, without fixtures of tests, as paths from the root with `/`. */
export function sourceFiles(folder: string): string[] {
  const files: string[] = [];
  const walk = (current: string): void => {
    for (const entry of readdirSync(current, { withFileTypes: true })) {
      const name = entry.name === "fixtures" ? `${basename(current)}/${entry.name}` : entry.name;
      if (entry.isDirectory() && !PASSED_OVER.has(name)) walk(join(current, entry.name));
      else if (/\.(ts|tsx|mjs|js)$/.test(entry.name)) files.push(join(current, entry.name));
    }
  };
  const start = join(root, folder);
  if (statSync(start, { throwIfNoEntry: false })?.isDirectory()) walk(start);
  return files.map((file) => relative(root, file).split(sep).join("/")).sort();
}

export function read(path: string): string {
  return readFileSync(join(root, path), "utf8");
}

/**
 * Returns the version of a dependency in the catalog of the workspace.
 * @throws if the catalog has no such dependency
 */
export function catalogVersion(name: string): string {
  const version = read("pnpm-workspace.yaml").match(`\n  "?${name}"?: (.+)\n`)?.[1];
  if (version === undefined) throw new Error(`the catalog has no ${name}`);
  return version;
}

export interface Import {
  readonly specifier: string;
  /** True for `import("…")`, which loads the module when it runs. */
  readonly lazy: boolean;
}

export function importsOf(path: string): Import[] {
  const text = read(path);
  const lazy = new Set([...text.matchAll(/\bimport\(\s*["'`]([^"'`]+)["'`]/g)].map((match) => match[1]));
  const eager = new Set([...text.matchAll(/(?:from|^import)\s+["']([^"']+)["']/gm)].map((match) => match[1]));
  return ts.preProcessFile(text, true, true).importedFiles.map(({ fileName }) => ({
    specifier: fileName,
    lazy: lazy.has(fileName) && !eager.has(fileName),
  }));
}
