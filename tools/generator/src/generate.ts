import { readFileSync } from "node:fs";
import { createLock, generatorHash, hash, isUpToDate } from "./lock.ts";
import { mockAdminFile } from "./mock-admin-file.ts";
import { targetFolders } from "./target-folders.ts";
import { type Change, compareTree, type TreeFile, writeTree } from "./tree.ts";

export interface GenerateOptions {
  readonly specFile: string;
  /** The root of the tree to write. */
  readonly root: string;
  /** Compare only, and write nothing. */
  readonly check: boolean;
}

/**
 * Brings the generated files of a tree up to date with the document, or says which are not.
 * @throws SpecError where the document cannot be generated from
 */
export async function generate({ specFile, root, check }: GenerateOptions): Promise<readonly Change[]> {
  const spec = hash([specFile, mockAdminFile].map((file) => readFileSync(file, "utf8")).join("\n"));
  const generator = generatorHash();
  if (!check && isUpToDate(root, spec, generator, targetFolders)) return [];
  // Only now: loading the printer takes longer than all the rest.
  const [{ generateFiles }, { targets }] = await Promise.all([import("./host.ts"), import("./targets.ts")]);
  const outputs = await generateFiles(specFile, targets);
  const files = [...outputs].flatMap(([target, written]) =>
    written.map((file): TreeFile => ({ target: target.name, path: `${target.folder}/${file.path}`, text: file.text })),
  );
  const changes = compareTree(root, [...files, createLock(spec, generator, files)], targetFolders);
  if (!check) writeTree(root, changes);
  return changes;
}
