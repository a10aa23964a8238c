import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, sep } from "node:path";
import { firstDifference, type Origin, originAt, wholeFile } from "./provenance.ts";

/** A generated file and where it belongs, below the root of the tree. */
export interface TreeFile {
  readonly target: string;
  readonly path: string;
  readonly text: string;
}

/** A folder whose every file is generated. */
export interface TreeFolder {
  readonly target: string;
  readonly path: string;
}

/** One file on disk that is not what it should be. */
export interface Change extends Origin {
  readonly target: string;
  readonly path: string;
  readonly kind: "changed" | "missing" | "left over";
  /** What the file should hold; undefined where it should not be. */
  readonly text: string | undefined;
}

/** Compares what should be with what is on disk, byte for byte. */
export function compareTree(
  root: string,
  files: readonly TreeFile[],
  folders: readonly TreeFolder[],
): readonly Change[] {
  const wanted = new Set(files.map((file) => file.path));
  const changes = files.flatMap((file) => compareFile(root, file));
  const leftOver = folders.flatMap(({ target, path }) =>
    filesBelow(root, path)
      .filter((file) => !wanted.has(file))
      .map(
        (file): Change => ({
          target,
          path: file,
          kind: "left over",
          text: undefined,
          ...wholeFile,
        }),
      ),
  );
  return [...changes, ...leftOver];
}

function compareFile(root: string, { target, path, text }: TreeFile): readonly Change[] {
  const file = join(root, path);
  if (!existsSync(file)) return [{ target, path, kind: "missing", text, ...wholeFile }];
  const current = readFileSync(file, "utf8");
  if (current === text) return [];
  return [{ target, path, kind: "changed", text, ...originAt(path, text, firstDifference(text, current)) }];
}

/** Writes what changed and removes what is left over; what is right keeps its time. */
export function writeTree(root: string, changes: readonly Change[]): void {
  for (const { path, text } of changes) {
    const file = join(root, path);
    if (text === undefined) {
      rmSync(file);
      removeIfEmpty(dirname(file));
    } else {
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
  }
}

function removeIfEmpty(folder: string): void {
  if (readdirSync(folder).length === 0) rmdirSync(folder);
}

/** All files below a folder of the root, as paths from the root. */
export function filesBelow(root: string, folder: string): readonly string[] {
  if (!existsSync(join(root, folder))) return [];
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(join(root, "/").length).replaceAll(sep, "/"))
    .sort();
}
