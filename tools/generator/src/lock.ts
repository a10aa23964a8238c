import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { schemaFormats, schemaKeywords } from "../../../packages/protocol/src/schema-table.ts";
import { isJsonObject, textMembers } from "./json.ts";
import { entriesBelow, filesBelow, type TreeFile, type TreeFolder } from "./tree.ts";

/** Contents of the lock file: hashes of the source, the generator and the generated files. */
interface Lock {
  readonly spec: string;
  readonly generator: string;
  /** Hash of each generated file, by path. */
  readonly outputs: Readonly<Record<string, string>>;
}

const lockPath = "tools/generator/generated.lock.json";

const generatorFolder = fileURLToPath(new URL("..", import.meta.url));

export function hash(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Hashes the source files of the generator, its package.json, and the keywords and formats of the validators. */
export function generatorHash(): string {
  const sources = filesBelow(generatorFolder, "src").map((file) => join(generatorFolder, file));
  const files = [...sources, join(generatorFolder, "package.json")];
  return hash(
    [...files.map((file) => hash(readFileSync(file, "utf8"))), ...schemaKeywords, ...schemaFormats].join("\n"),
  );
}

export function createLock(spec: string, generator: string, files: readonly TreeFile[]): TreeFile {
  const outputs = Object.fromEntries(files.map((file) => [file.path, hash(file.text)]));
  const lock: Lock = { spec, generator, outputs };
  return { target: "lock", path: lockPath, text: `${JSON.stringify(lock, undefined, 2)}\n` };
}

/** Returns the files of the last run, or no files and the reason why they are unknown. Then nothing is removed. */
export function ownedFiles(root: string): { readonly files: ReadonlySet<string>; readonly problem?: string } {
  const lock = readLock(root);
  if (lock !== undefined) return { files: new Set([...Object.keys(lock.outputs), lockPath]) };
  const state = existsSync(join(root, lockPath)) ? "damaged" : "missing";
  return { files: new Set(), problem: `the lock file ${lockPath} is ${state}` };
}

/** Returns true if the tree is exactly what this generator wrote from this document. */
export function isUpToDate(root: string, spec: string, generator: string, folders: readonly TreeFolder[]): boolean {
  const lock = readLock(root);
  if (lock === undefined || lock.spec !== spec || lock.generator !== generator) return false;
  const present = folders.flatMap((folder) => entriesBelow(root, folder.path));
  if (present.length !== Object.keys(lock.outputs).length) return false;
  const isFile = new Set(folders.flatMap((folder) => filesBelow(root, folder.path)));
  return present.every(
    (path) => isFile.has(path) && lock.outputs[path] === hash(readFileSync(join(root, path), "utf8")),
  );
}

function readLock(root: string): Lock | undefined {
  const file = join(root, lockPath);
  if (!existsSync(file)) return undefined;
  const value = parse(readFileSync(file, "utf8"));
  if (!isJsonObject(value) || typeof value.spec !== "string" || typeof value.generator !== "string") return undefined;
  return { spec: value.spec, generator: value.generator, outputs: textMembers(value.outputs) };
}

/** Returns undefined if the lock file is not JSON. The tree is then generated again, and no file is removed. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
