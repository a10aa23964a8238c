import { readFileSync } from "node:fs";
import { createLock, generatorHash, hash, isUpToDate, ownedFiles } from "./lock.ts";
import { mockAdminFile } from "./output-file.ts";
import { settingsFiles } from "./service-settings.ts";
import { targetFolders } from "./target-folders.ts";
import { type Change, compareTree, obstacles, type TreeFile, writeTree } from "./tree.ts";

export interface GenerateOptions {
  readonly specFile: string;
  /** Root of the tree to write. */
  readonly root: string;
  /** If true, compares only and writes nothing. */
  readonly check: boolean;
}

export interface Outcome {
  readonly changes: readonly Change[];
  /** Reason why stale files are unknown and none is removed: the lock file is missing or damaged. */
  readonly problem?: string;
}

/** A file or link that the generator did not write would be overwritten. */
export class TreeError extends Error {
  override readonly name = "TreeError";
}

/**
 * Updates the generated files of a tree, or reports stale files. Removes only files that the lock file of the last run
 * lists.
 * @throws {SpecError} The document is invalid.
 * @throws {TreeError} A file or link that the generator did not write would be overwritten.
 */
export async function generate({ specFile, root, check }: GenerateOptions): Promise<Outcome> {
  const spec = hash([specFile, mockAdminFile, ...settingsFiles].map((file) => readFileSync(file, "utf8")).join("\n"));
  const generator = generatorHash();
  if (!check && isUpToDate(root, spec, generator, targetFolders)) return { changes: [] };
  // Imported late, because loading the printer takes longer than everything else.
  const [{ generateFiles }, { targets }] = await Promise.all([import("./host.ts"), import("./targets.ts")]);
  const outputs = await generateFiles(specFile, targets);
  const files = [...outputs].flatMap(([target, written]) =>
    written.map(
      ({ path, text }): TreeFile => ({
        target: target.name,
        path: `${target.folder}/${path}`,
        // Descriptions may have other line breaks. Files are compared with those of checkouts, which convert them.
        text: text.replaceAll(/\r\n?/g, "\n"),
      }),
    ),
  );
  const { files: owned, ...problem } = ownedFiles(root);
  const changes = compareTree(root, [...files, createLock(spec, generator, files)], targetFolders, owned);
  if (!check) {
    const [obstacle] = obstacles(root, changes, owned);
    if (obstacle !== undefined)
      throw new TreeError(
        `${obstacle} is not a generated file and would be overwritten; move it, or choose another folder with --out`,
      );
    writeTree(root, changes, targetFolders);
  }
  return { changes, ...problem };
}
