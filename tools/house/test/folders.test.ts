import { dirname, posix } from "node:path";
import { describe, expect, it } from "vitest";
import { importsOf, sourceFiles } from "../src/tree.ts";

/** Packages whose folders import one way only. */
const PACKAGES = ["client", "json-rpc", "protocol", "query-run", "react"];

/** Folders of a package, each with the folders that its files import, for their types too. */
function foldersOf(name: string): ReadonlyMap<string, ReadonlySet<string>> {
  const folders = new Map<string, Set<string>>();
  for (const file of [...sourceFiles(`packages/${name}/src`), ...sourceFiles(`packages/${name}/src/generated`)]) {
    const folder = dirname(file);
    const targets = importsOf(file)
      .filter(({ specifier }) => specifier.startsWith("."))
      .map(({ specifier }) => posix.join(folder, dirname(specifier)))
      .filter((target) => target !== folder);
    folders.set(folder, new Set([...(folders.get(folder) ?? []), ...targets]));
  }
  return folders;
}

/** Folders that import each other, directly or by way of others. */
function circular(folders: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] {
  const reaches = (from: string, wanted: string, seen = new Set<string>()): boolean =>
    [...(folders.get(from) ?? [])].some((next) => {
      if (next === wanted) return true;
      if (seen.has(next)) return false;
      seen.add(next);
      return reaches(next, wanted, seen);
    });
  return [...folders.keys()].filter((folder) => reaches(folder, folder));
}

describe("folders", () => {
  it.each(PACKAGES)("of %s import one way only", (name) => {
    const folders = foldersOf(name);
    expect(folders.size).toBeGreaterThan(0);
    expect(circular(folders)).toEqual([]);
  });
});
